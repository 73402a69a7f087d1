"""Mistakes in efficient attention, and in counts of parameters and operations."""

from ..mistake import HIGH, MEDIUM, Mistake

_SIZES = ("GB", "GiB")

MISTAKES = (
    # -- cheaper attention
    Mistake(
        "values-projected-like-keys", "cheaper attention", ("V",),
        "It looks as if you multiplied the values by E.",
        "E belongs to the keys; the values are multiplied by F.",
        (("F @ v_", "E @ v_"),),
    ),
    Mistake(
        "feature-map-forgotten", "cheaper attention", ("phi",),
        "It looks as if you left out the feature map φ.",
        "Apply φ to every query and every key first.",
        (("elu(x_) + 1", "x_"), ("relu(x_)", "x_"), ("exp(x_)", "x_")), MEDIUM,
    ),
    Mistake(
        "feature-map-without-one", "cheaper attention", ("phi",),
        "It looks as if you left out the 1 in elu(x) + 1.",
        "Here the feature map is elu(x) + 1, so that every feature is positive.",
        (("elu(x_) + 1", "elu(x_)"),), MEDIUM,
    ),
    Mistake(
        "linear-attention-not-divided", "cheaper attention", ("linear",),
        "It looks as if you did not divide the output by the sum of the weights.",
        "Divide each query's row by the dot product of φ(q) and the sum of the keys' features.",
        (("w_ / m_", "w_"),), HIGH,
    ),
    Mistake(
        "full-products-of-one-product", "cheaper attention", ("pair_products",),
        "It looks as if you counted only the products for the scores.",
        "Count the products for the scores and the products with the values: d_k + d_v per pair of query and key.",
        (("a_ * (b_ + c_)", "a_ * b_"),), MEDIUM,
    ),
    Mistake(
        "left-for-saved", "cheaper attention", ("saved",),
        "It looks as if you wrote the share that is still needed, not the saved share.",
        "The saved share is 1 minus the share that is still needed.",
        (("1 - a_ / b_", "a_ / b_"),), MEDIUM,
    ),
    # -- parameters
    Mistake(
        "output-weights-not-counted", "count", ("projections",),
        "It looks as if you left out W_O.",
        "Attention has four weight matrices: W_Q, W_K, W_V and W_O.",
        (("4 * d_ ** 2", "3 * d_ ** 2"), ("2 * d_ * h_ * w_ + k_", "d_ * h_ * w_ + k_")), HIGH,
    ),
    Mistake(
        "projections-for-each-head", "count", ("projections",),
        "It looks as if you counted d_model × d_model entries per projection for each head.",
        "All heads together have d_model × d_model entries for each of the four projections.",
        (("4 * d_ ** 2", "heads * 4 * d_ ** 2"),), MEDIUM,
    ),
    Mistake(
        "kv-heads-as-query-heads", "count", ("projections", "per_token"),
        "It looks as if you used the number of query heads for the keys and values.",
        "Here query heads share keys and values: use the number of key/value heads.",
        (("2 * d_ * kv_heads * w_", "2 * d_ * heads * w_"), ("2 * l_ * kv_heads * w_", "2 * l_ * heads * w_")), HIGH,
    ),
    Mistake(
        "biases-forgotten", "count", ("attention", "feed_forward"),
        "It looks as if you did not count the biases.",
        "Here each of these layers has a bias with one number per output.",
        (("projections + b_", "projections"), ("m_ + f_ + d_", "m_")), HIGH,
    ),
    Mistake(
        "norms-forgotten", "count", ("encoder_layer", "decoder_layer"),
        "It looks as if you did not count the norms.",
        "Each sublayer has its own norm, whose parameters count too.",
        (("a_ + k_ * norm", "a_"),), HIGH,
    ),
    Mistake(
        "one-norm-for-all", "count", ("encoder_layer", "decoder_layer"),
        "It looks as if you counted only one norm for the whole layer.",
        "Each sublayer has its own norm: an encoder layer has two, a decoder layer with cross-attention has three.",
        (("a_ + k_ * norm", "a_ + norm"),), HIGH,
    ),
    Mistake(
        "norm-without-beta", "count", ("norm",),
        "It looks as if you counted only γ.",
        "Here each norm has γ and β.",
        (("2 * d_", "d_"),), MEDIUM,
    ),
    Mistake(
        "cross-attention-forgotten", "count", ("decoder_layer",),
        "It looks as if you counted only one attention block in the decoder layer.",
        "This decoder layer has two: self-attention and cross-attention.",
        (("2 * attention", "attention"),), HIGH,
    ),
    Mistake(
        "tied-tables-counted-again", "count", ("tables",),
        "It looks as if you counted a shared table more than once.",
        "Count shared tables once.",
        (("v_ * d_", "2 * v_ * d_"), ("v_ * d_", "3 * v_ * d_")), HIGH,
    ),
    Mistake(
        "tables-counted-once", "count", ("tables",),
        "It looks as if you counted separate tables as one table.",
        "Here these tables are not shared, so count each of them.",
        (("3 * v_ * d_", "v_ * d_"), ("2 * v_ * d_", "v_ * d_"), ("3 * v_ * d_", "2 * v_ * d_")), MEDIUM,
    ),
    Mistake(
        "one-layer-for-all", "count", ("total",),
        "It looks as if you counted only one layer.",
        "Multiply by the number of layers.",
        (("layers * l_", "l_"),), MEDIUM, "there is one layer",
    ),
    Mistake(
        "embeddings-forgotten", "count", ("total",),
        "It looks as if you left out the embeddings.",
        "The embedding table, with one vector per word, is learned too.",
        (("l_ + tables", "l_"),), MEDIUM,
    ),
    # -- operations and bytes
    Mistake(
        "softmax-product-forgotten", "count", ("attention",),
        "It looks as if you left out one of the two products that grow with n².",
        "Count both products: Q Kᵀ for the scores, and the weights times V.",
        (("p_ + scores + weighted", "p_ + scores"),), MEDIUM,
    ),
    Mistake(
        "multiply-adds-for-flops", "count", ("flops",),
        "It looks as if you counted a multiply–add as one operation.",
        "A multiply–add is two floating-point operations.",
        (("2 * l_", "l_"),), MEDIUM,
    ),
    Mistake(
        "keys-without-values", "count", ("per_token",),
        "It looks as if you counted only the keys or only the values.",
        "The cache holds keys and values: multiply by 2.",
        (("2 * l_ * h_ * w_ * b_", "l_ * h_ * w_ * b_"),), HIGH,
    ),
    Mistake(
        "numbers-for-bytes", "count", ("per_token", "size"),
        "It looks as if you counted numbers, not bytes.",
        "Multiply by the number of bytes per number.",
        (("a_ * bytes", "a_"),), MEDIUM,
    ),
    Mistake(
        "gibibytes-for-gigabytes", "count", _SIZES,
        "It looks as if you confused GB and GiB.",
        "A gigabyte (GB) has 10⁹ bytes, a gibibyte (GiB) has 2³⁰.",
        (("s_ / 10 ** 9", "s_ / 2 ** 30"), ("s_ / 2 ** 30", "s_ / 10 ** 9")), HIGH,
    ),
    Mistake(
        "bits-for-bytes", "count", ("size",),
        "It looks as if you counted bits.",
        "A byte has eight bits; count bytes.",
        (("a_ * b_", "8 * a_ * b_"),),
    ),
    # -- training
    Mistake(
        "backward-pass-forgotten", "count", ("flops",),
        "It looks as if you counted only the forward pass.",
        "The backward pass takes twice as many operations as the forward pass. Both together take 6 per parameter "
        "and token.",
        (("6 * p_ * t_", "2 * p_ * t_"),), HIGH,
    ),
    Mistake(
        "optimizer-forgotten", "count", ("size",),
        "It looks as if you left out the memory of the optimizer.",
        "Adam keeps two moving averages per parameter; with mixed precision, there is also a float32 copy of the "
        "weights.",
        (("weights + gradients + optimizer", "weights + gradients"),), HIGH,
    ),
    Mistake(
        "score-activations-forgotten", "count", ("activations",),
        "It looks as if you left out the activations of the scores.",
        "The scores of all pairs are kept too: 5 · heads · tokens / d_model bytes per token, feature and layer.",
        (("a_ * (34 + b_)", "a_ * 34"),), MEDIUM,
    ),
    # -- layers compared
    Mistake(
        "length-and-width-exchanged", "count", ("self_attention", "recurrence"),
        "It looks as if you swapped the sequence length n and the dimension d.",
        "Self-attention takes n²·d operations, recurrence n·d².",
        (("n_ ** 2 * d_", "n_ * d_ ** 2"), ("n_ * d_ ** 2", "n_ ** 2 * d_")), HIGH,
    ),
    Mistake(
        "path-rounded-down", "count", ("convolution_path",),
        "It looks as if you rounded the number of layers down.",
        "A part of a layer is not enough: round up.",
        (("ceil(x_)", "floor(x_)"),), MEDIUM,
    ),
)  # fmt: skip
