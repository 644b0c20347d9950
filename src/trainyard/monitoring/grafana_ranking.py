"""Rankings of PromQL that stay the same over the whole time of a graph, as Grafana needs them.

`topk` of a range query chooses anew at each of its points: of 24 nodes, the first 20 were 24 lines, 23 of them with
gaps. So the first by their mean over the whole time are chosen, once for all points, by `@ end()`. The local viewer
ranks by itself. https://github.com/prometheus/prometheus/issues/586
`@` is always on from Prometheus 2.33 and Cortex 1.14 on: https://github.com/cortexproject/cortex/pull/4935
"""

from __future__ import annotations

import re

_CALL = re.compile(r"\b(topk|bottomk)\s*\(\s*([0-9]+)\s*,")
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[()]')
# Points that Grafana draws: so the mean of a month reads no more than the graph does.
_WHOLE_TIME = "[$__range:$__interval] @ end()"


def fixed_rankings(expr: str) -> str:
    """Return a query in which each `topk` and `bottomk` chooses the same series at every point."""
    call = _CALL.search(expr)
    if call is None:
        return expr
    end = _closing_bracket(expr, call.end())
    ranked = fixed_rankings(" ".join(expr[call.end() : end].split()))
    chosen = f"(({ranked}) and {call[1]}({call[2]}, avg_over_time(({ranked}){_WHOLE_TIME})))"
    return expr[: call.start()] + chosen + fixed_rankings(expr[end + 1 :])


def _closing_bracket(expr: str, start: int) -> int:
    """Return where the bracket closes that is open at a place. Raises ValueError: our own queries are whole."""
    still_open = 1
    for token in _TOKEN.finditer(expr, start):
        still_open += {"(": 1, ")": -1}.get(token[0], 0)
        if still_open == 0:
            return token.start()
    raise ValueError(f"no bracket closes in {expr}")
