"""Calls that the formula language does not have, and the formulas with the same numbers."""


def _by_function(table: str) -> dict[str, list[tuple[str, str]]]:
    """Return the arguments of the calls and their formulas, by the names of the functions."""
    meanings: dict[str, list[tuple[str, str]]] = {}
    for line in table.strip().splitlines():
        call, _, formulas = line.partition(") = ")
        name, _, arguments = call.partition("(")
        meanings.setdefault(name, []).append((arguments, formulas))
    return meanings


# Calls of libraries and papers, and formulas that give the same numbers. An upper-case letter stands for any formula,
# and a lower-case letter for a row. `...` stands for all arguments. If ` or ` separates two formulas, both are possible
# meanings. The first line that fits a call is used.
MEANINGS = _by_function("""
absolute(A) = abs(A)
expit(A) = sigmoid(A)
exp2(A) = 2 ** A
pow2(A) = 2 ** A
exp10(A) = 10 ** A
lg(A) = log10(A)
tan(A) = sin(A) / cos(A)
cot(A) = cos(A) / sin(A)
sec(A) = 1 / cos(A)
csc(A) = 1 / sin(A)
sinh(A) = (exp(A) - exp(-A)) / 2
cosh(A) = (exp(A) + exp(-A)) / 2
deg2rad(A) = A * pi / 180
radians(A) = A * pi / 180
rad2deg(A) = A * 180 / pi
degrees(A) = A * 180 / pi
hypot(A, B) = sqrt(A ** 2 + B ** 2)
logit(A) = log(A / (1 - A))
logaddexp(A, B) = log(exp(A) + exp(B))
log_expit(A) = log(sigmoid(A))
logsigmoid(A) = log(sigmoid(A))
log_sigmoid(A) = log(sigmoid(A))
relu6(A) = clip(A, low=0, high=6)
hardtanh(A) = clip(A, low=-1, high=1)
hardsigmoid(A) = clip(A + 3, low=0, high=6) / 6
hardswish(A) = A * clip(A + 3, low=0, high=6) / 6
softsign(A) = A / (1 + abs(A))
tanhshrink(A) = A - tanh(A)
mish(A) = A * tanh(softplus(A))
softmax(A, mask=B) = softmax(keep(A, B))
softmax(A, key_padding_mask=B) = softmax(keep(A, 1 - B))
softmin(A) = softmax(-A)
sgn(A) = sign(A)
trunc(A) = sign(A) * floor(abs(A))
fix(A) = sign(A) * floor(abs(A))
rint(A) = round(A, 0, mode="half_even")
entr(A) = -xlogy(A, A)
heaviside(A, B) = (A > 0) + B * (A == 0)
logical_and(A, B) = (A != 0) * (B != 0)
logical_or(A, B) = maximum(A != 0, B != 0)
logical_xor(A, B) = (A != 0) != (B != 0)
float_power(A, B) = A ** B
fmax(A, B) = maximum(A, B)
fmin(A, B) = minimum(A, B)
fmod(A, B) = A - B * sign(A / B) * floor(abs(A / B))
rem(A, B) = A - B * sign(A / B) * floor(abs(A / B))
maximum(A) = max(A)
minimum(A) = min(A)
maximum(A, axis="rows") = row_max(A)
minimum(A, axis="rows") = row_min(A)
maximum(A, axis="columns") = col_max(A)
minimum(A, axis="columns") = col_min(A)
ptp(A) = max(A) - min(A)
count_nonzero(A) = sum(A != 0)
nnz(A) = sum(A != 0)
isequal(A, B) = all(A == B)
allclose(A, B) = all(abs(A - B) <= 1e-8 + 1e-5 * abs(B))
mse_loss(A, B) = mean((A - B) ** 2)
l1_loss(A, B) = mean(abs(A - B))
nll_loss(A, B) = -mean(pick(A, B))
nll_loss(A, B, reduction="sum") = -sum(pick(A, B))
squared_difference(A, B) = (A - B) ** 2
kl_div(A, B, reduction="sum") = sum(xlogy(B, B) - B * A)
kl_div(A, B, reduction="batchmean") = sum(xlogy(B, B) - B * A) / rows(B)
KL(A, B) = sum(xlogy(A, A / B))
CE(A, B) = -sum(xlogy(A, B))
H(A) = entropy(A) or entropy(A, base=2)
H(A, B) = -sum(xlogy(A, B))
Var(A) = var(A) or var(A, ddof=1)
LN(A) = layer_norm(A)
cos(A, B) = dot(A, B) / (norm(A) * norm(B))
cosine_similarity(a, b) = dot(a, b) / (norm(a) * norm(b))
cosine_similarity(a, b, axis="columns") = dot(a, b) / (norm(a) * norm(b))
cosine_similarity(a, b, axis="rows") = dot(a, b) / (norm(a) * norm(b))
cross(a, b) = a[:, [1, 2, 0]] * b[:, [2, 0, 1]] - a[:, [2, 0, 1]] * b[:, [1, 2, 0]]
vdot(A, B) = sum(A * B)
dist(a, b) = norm(a - b)
kron(A, B) = repeat(A, down=rows(B), across=cols(B)) * tile(B, down=rows(A), across=cols(A))
linear(A, B) = A @ B.T
linear(A, B, C) = A @ B.T + C
mv(A, b) = A @ b.T
addmm(A, B, C) = A + B @ C
addcmul(A, B, C) = A + B * C
lerp(A, B, C) = A + C * (B - A)
tensordot(A, B, axes=1) = A @ B
baddbmm(A, B, C) = A + B @ C
mtimes(A, B) = A @ B
minus(A, B) = A - B
plus(A, B) = A + B
times(A, B) = A * B
rdivide(A, B) = A / B
mldivide(A, B) = solve(A, B)
matrix_transpose(A) = A.T
ctranspose(A) = A.T
conj(A) = A
swapaxes(A, 0, 1) = A.T
swapaxes(A, 1, 0) = A.T
swapaxes(A, -1, -2) = A.T
swapaxes(A, -2, -1) = A.T
unsqueeze(A, axis="columns") = A[None]
unsqueeze(A, axis="rows") = A[:, None]
unsqueeze(A, 0) = A[None]
unsqueeze(A, 1) = A[:, None]
unsqueeze(A, -1) = A[:, None]
expand_dims(A, 0) = A[None]
expand_dims(A, 1) = A[:, None]
expand_dims(A, -1) = A[:, None]
expand_dims(A, axis="columns") = A[None]
expand_dims(A, axis="rows") = A[:, None]
squeeze(a) = a
append(a, B) = hstack(a, B)
take(a, I) = a[:, I]
index_select(A, 0, I) = lookup(A, I)
broadcast_to(a, M, N) = tile(a, down=M)
expand(a, M, N) = tile(a, down=M)
repmat(A, M, N) = tile(A, down=M, across=N)
repmat(A, [M, N]) = tile(A, down=M, across=N)
repmat(A, N) = tile(A, down=N, across=N)
horzcat(...) = hstack(...)
hcat(...) = hstack(...)
vertcat(...) = vstack(...)
vcat(...) = vstack(...)
fliplr(A) = A[:, ::-1]
flipud(A) = A[::-1]
flip(a) = a[:, ::-1]
flip(A) = A[::-1, ::-1] or A[::-1]
flip(A, 0) = A[::-1]
flip(A, 1) = A[:, ::-1] or A[::-1]
flip(A, 2) = A[:, ::-1]
flip(A, -1) = A[:, ::-1]
flip(a, [0]) = a[:, ::-1]
flip(A, [0]) = A[::-1]
flip(A, [1]) = A[:, ::-1]
flip(A, axis="columns") = A[::-1]
flip(A, axis="rows") = A[:, ::-1]
flip(A, axis=[0]) = A[::-1]
flip(A, axis=[1]) = A[:, ::-1]
rot90(A) = A.T[::-1]
circshift(a, N) = roll(a, N)
circshift(A, N) = roll(A, down=N)
circshift(A, N, 2) = roll(A, across=N)
diff(a) = a[:, 1:] - a[:, :-1]
sort(a) = -sort_rows(-a)
sort(A, axis="rows") = -sort_rows(-A)
sort(A, axis="columns") = -sort_rows(-A.T).T
sort(a, "descend") = sort_rows(a)
cumsum(A, 1) = cumsum_rows(A.T).T or cumsum_rows(A)
cumsum(A, 2) = cumsum_rows(A)
cumprod(A, 1) = cumprod_rows(A.T).T or cumprod_rows(A)
cumprod(A, 2) = cumprod_rows(A)
vecnorm(A) = norm(A, axis="columns")
vecnorm(A, 2, 1) = norm(A, axis="columns")
vecnorm(A, 2, 2) = norm(A, axis="rows")
diagonal(A) = diag(A)
vec(A) = flat(A.T).T
length(a) = cols(a)
length(A) = maximum(rows(A), cols(A))
linspace(0, 1, N) = arange(0, N) / (N - 1)
linspace(A, B, N) = A + (B - A) * arange(0, N) / (N - 1)
logspace(A, B, N) = 10 ** (A + (B - A) * arange(0, N) / (N - 1))
I(A < B) = A < B
I(A <= B) = A <= B
I(A > B) = A > B
I(A >= B) = A >= B
I(A == B) = A == B
I(A != B) = A != B
I(N) = identity(N)
""")
