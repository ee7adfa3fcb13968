"""What WebFetch shows."""

from __future__ import annotations

from tool_case import Case

URL = "https://docs.python.org/3/library/decimal.html"
PAGE = """\
# decimal — Decimal fixed-point and floating-point arithmetic

The [decimal](https://docs.python.org/3/library/decimal.html#module-decimal) module provides support for fast correctly
rounded decimal floating-point arithmetic. It offers several advantages over the `float` datatype:

- Decimal “is based on a floating-point model which was designed with **people** in mind”.
- Decimal numbers can be represented exactly.

## Quick-start tutorial

```python3
>>> from decimal import *
>>> getcontext().prec = 28
>>> Decimal('0.1') + Decimal('0.2')
Decimal('0.3')
```

| Mode | Rounds |
| --- | --- |
| `ROUND_HALF_EVEN` | to nearest, ties to even |
| `ROUND_HALF_UP` | to nearest, ties away from zero |

[… and 78,113 more of 98,113 characters; offset=20000 reads on.]"""

CASES = {
    "WebFetch": Case(
        {"url": URL},
        PAGE,
        {
            "bytes": 223_418,
            "code": 200,
            "codeText": "OK",
            "result": PAGE,
            "durationMs": 812,
            "url": URL,
            "contentType": "text/html",
            "title": "decimal — Decimal fixed-point and floating-point arithmetic",
            "totalChars": 98_113,
            "isAnswer": False,
        },
        "<tool_use_error>HTTP error: 404 Not Found</tool_use_error>",
        error_data={
            "bytes": 196,
            "code": 404,
            "codeText": "Not Found",
            "result": "HTTP error: 404 Not Found",
            "url": URL,
        },
        progress={"message": "fetching docs.python.org"},
        suggestions=("WebFetch(domain:docs.python.org)",),
    ),
}
