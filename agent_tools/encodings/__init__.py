"""tiktoken's encodings without a network: packed ranks, loading, exact cutting of long texts.

    packed.py      o200k_base.xz and cl100k_base.xz -> mergeable ranks, checked by SHA-256
    pack.py        rebuilds those files: `python -m agent_tools.encodings.pack`
    loading.py     name -> encoding, once per process, never from the network
    segments.py    a text's tokens in stretches whose counts add up exactly
    characters.py  lone surrogates, and where a visible character ends
    callables.py   a counter of the user's own, called on no more text than needed

The ranks are OpenAI's, published with tiktoken under the MIT licence.
"""
