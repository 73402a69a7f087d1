"""Mistakes in cheaper attention and in counts."""

from ..catalogue import HIGH, MEDIUM, Mistake

_SIZES = ("GB", "GiB")

MISTAKES = (
    # -- cheaper attention
    Mistake(
        "values-projected-like-keys", "cheaper attention", ("V_low",),
        "The values seem to have been mixed by E.",
        "E mixes the keys; the values have a matrix F of their own here.",
        (("F @ v_", "E @ v_"),),
    ),
    Mistake(
        "feature-map-forgotten", "cheaper attention", ("phi_Q", "phi_K"),
        "The feature map seems to have been left out.",
        "Apply φ to every query and every key first.",
        (("elu(x_) + 1", "x_"), ("relu(x_)", "x_"), ("exp(x_)", "x_")), MEDIUM,
    ),
    Mistake(
        "feature-map-without-one", "cheaper attention", ("phi_Q", "phi_K"),
        "The 1 seems to be missing from elu(x) + 1.",
        "Add 1, so that no feature is negative.",
        (("elu(x_) + 1", "elu(x_)"),), MEDIUM,
    ),
    Mistake(
        "linear-attention-not-divided", "cheaper attention", ("Z",),
        "The output seems not to have been divided by the sum of the weights.",
        "Divide what each query reads by φ(q) times the sum of the keys' features.",
        (("w_ / divisor", "w_"),), HIGH,
    ),
    Mistake(
        "full-products-of-one-product", "cheaper attention", ("products", "products_full"),
        "Only the scores seem to have been counted.",
        "Count the products for the scores and those with the values: d_k + d_v for each pair.",
        (("a_ * (b_ + c_)", "a_ * b_"),), MEDIUM,
    ),
    Mistake(
        "left-for-saved", "cheaper attention", ("saved",),
        "This looks like the share that is left.",
        "What is saved is 1 minus that.",
        (("1 - a_ / b_", "a_ / b_"),), MEDIUM,
    ),
    # -- parameters
    Mistake(
        "output-weights-not-counted", "count", ("projections",),
        "W_O seems to have been forgotten.",
        "Attention has four projections: W_Q, W_K, W_V and W_O.",
        (("4 * d_ ** 2", "3 * d_ ** 2"), ("2 * d_ * h_ * w_ + k_", "d_ * h_ * w_ + k_")), HIGH,
    ),
    Mistake(
        "projections-for-each-head", "count", ("projections",),
        "The projections seem to have been counted at full width for each head.",
        "The heads share the width: all of them together have d_model × d_model entries for each projection.",
        (("4 * d_ ** 2", "heads * 4 * d_ ** 2"),), MEDIUM,
    ),
    Mistake(
        "kv-heads-as-query-heads", "count", ("projections", "per_token"),
        "The query heads seem to have been counted for the keys and values.",
        "Query heads share keys and values here: count the key/value heads.",
        (("2 * d_ * kv_heads * w_", "2 * d_ * heads * w_"), ("2 * l_ * kv_heads * w_", "2 * l_ * heads * w_")), HIGH,
    ),
    Mistake(
        "biases-forgotten", "count", ("attention", "feed_forward"),
        "The biases seem not to have been counted.",
        "Each of these layers has a bias for every output.",
        (("projections + b_", "projections"), ("m_ + f_ + d_", "m_")), HIGH,
    ),
    Mistake(
        "norms-forgotten", "count", ("encoder_layer", "decoder_layer"),
        "The norms seem not to have been counted.",
        "Each sublayer has a norm with weights of its own.",
        (("a_ + k_ * norm", "a_"),), HIGH,
    ),
    Mistake(
        "one-norm-for-all", "count", ("encoder_layer", "decoder_layer"),
        "One norm seems to have been counted for the whole layer.",
        "Each sublayer has a norm of its own: two in an encoder layer, three in a decoder layer with cross-attention.",
        (("a_ + k_ * norm", "a_ + norm"),), HIGH,
    ),
    Mistake(
        "norm-without-beta", "count", ("norm",),
        "Only gamma seems to have been counted.",
        "Each norm has gamma and beta.",
        (("2 * d_", "d_"),), MEDIUM,
    ),
    Mistake(
        "cross-attention-forgotten", "count", ("decoder_layer",),
        "One attention seems to have been counted for the decoder layer.",
        "A decoder layer has two: over its own tokens, and over the encoder's.",
        (("2 * attention", "attention"),), HIGH,
    ),
    Mistake(
        "tied-tables-counted-again", "count", ("tables",),
        "Tables that are one matrix seem to have been counted more than once.",
        "What is tied counts once.",
        (("v_ * d_", "2 * v_ * d_"), ("v_ * d_", "3 * v_ * d_")), HIGH,
    ),
    Mistake(
        "tables-counted-once", "count", ("tables",),
        "Tables of their own seem to have been counted as one.",
        "Here each embedding and the output layer have a table of their own.",
        (("3 * v_ * d_", "v_ * d_"), ("2 * v_ * d_", "v_ * d_"), ("3 * v_ * d_", "2 * v_ * d_")), MEDIUM,
    ),
    Mistake(
        "one-layer-for-all", "count", ("total",),
        "One layer seems to have been counted for all.",
        "Multiply by the number of layers.",
        (("layers * l_", "l_"),), MEDIUM, "there is one layer",
    ),
    Mistake(
        "embeddings-forgotten", "count", ("total",),
        "The embeddings seem to have been forgotten.",
        "The table of a vector for each word is learned too.",
        (("l_ + tables", "l_"),), MEDIUM,
    ),
    # -- operations and bytes
    Mistake(
        "softmax-product-forgotten", "count", ("attention",),
        "One of the two products that grow with n² seems to have been forgotten.",
        "Both count: Q Kᵀ for the scores, and the weights times V.",
        (("p_ + scores + weighted", "p_ + scores"),), MEDIUM,
    ),
    Mistake(
        "multiply-adds-for-flops", "count", ("flops",),
        "Multiply–adds seem to have been counted as one operation.",
        "A multiply–add is two floating-point operations.",
        (("2 * l_", "l_"),), MEDIUM,
    ),
    Mistake(
        "keys-without-values", "count", ("per_token",),
        "Only keys or only values seem to have been counted.",
        "The cache holds both: multiply by 2.",
        (("2 * l_ * h_ * w_ * b_", "l_ * h_ * w_ * b_"),), HIGH,
    ),
    Mistake(
        "numbers-for-bytes", "count", ("per_token", "size"),
        "The bytes of each number seem to have been forgotten.",
        "Multiply by how many bytes a number takes.",
        (("a_ * bytes", "a_"),), MEDIUM,
    ),
    Mistake(
        "gibibytes-for-gigabytes", "count", _SIZES,
        "GB and GiB seem to have been exchanged.",
        "A gigabyte (GB) has 10⁹ bytes, a gibibyte (GiB) has 2³⁰.",
        (("s_ / 10 ** 9", "s_ / 2 ** 30"), ("s_ / 2 ** 30", "s_ / 10 ** 9")), HIGH,
    ),
    Mistake(
        "bits-for-bytes", "count", ("size",),
        "Bits seem to have been counted.",
        "A byte has eight bits; count bytes.",
        (("a_ * b_", "8 * a_ * b_"),),
    ),
    # -- layers compared
    Mistake(
        "length-and-width-exchanged", "count", ("self_attention", "recurrence"),
        "The length and the width seem to have been exchanged.",
        "Self-attention takes n²·d operations, recurrence n·d².",
        (("n_ ** 2 * d_", "n_ * d_ ** 2"), ("n_ * d_ ** 2", "n_ ** 2 * d_")), HIGH,
    ),
    Mistake(
        "path-rounded-down", "count", ("convolution_path",),
        "The number of layers seems to have been rounded down.",
        "A part of a layer does not reach: round up.",
        (("ceil(x_)", "floor(x_)"),), MEDIUM,
    ),
)  # fmt: skip
