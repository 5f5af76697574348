"""The application: the rows of every room, routed, behind the guard. To serve more, add a room to `ROOMS`."""

from __future__ import annotations

from collections.abc import Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from codejury.service import dashboard, execute_batch, fusion, native, status
from codejury.service.guard import Guard
from codejury.service.operations import Endpoint, Operation, Service, Site
from codejury.service.refusals import Refusal

ROOMS: tuple[Callable[[Service], list[Operation]], ...] = (
    fusion.operations,
    native.operations,
    execute_batch.operations,
    status.operations,
    dashboard.operations,
)


def application(service: Service) -> ASGIApp:
    for room in ROOMS:
        service.operations += room(service)
    return routed(service)


def routed(site: Site) -> ASGIApp:
    """What the site's table has, and nothing else, behind the guard."""
    routes = [
        Route(operation.path, endpoint=Endpoint(site, operation), methods=[operation.method])
        for operation in site.operations
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _typed})
    app.router.redirect_slashes = False
    return Guard(app, site)


async def _typed(request: Request, error: Exception) -> Response:
    """Starlette's own refusals in our words."""
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        allow = (error.headers or {}).get("Allow", "")
        refusal = Refusal("method_not_allowed", f"expected one of {allow}, got {request.method}", allow=allow)
    else:
        refusal = Refusal(
            "not_found", f"no such path: {request.url.path[:200]}; /openapi.json lists those that there are"
        )
    headers = {name.decode(): value.decode() for name, value in refusal.headers}
    return Response(refusal.body, status_code=refusal.status, headers=headers)
