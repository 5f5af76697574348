# codejury as a service. What it gives in which container setting: docs/containers.md.
#
#   docker build -t codejury .
#   docker run --rm -p 127.0.0.1:8080:8080 -e CODEJURY_TOKEN=a-long-secret codejury

# --- a wheel, with the native box compiled into it -------------------------------------------------------------------
FROM debian:12-slim AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev make python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY native native
COPY src src
RUN python3 -m venv /opt/codejury && /opt/codejury/bin/pip install --no-cache-dir '.[serve]'

# --- the languages, and that wheel -----------------------------------------------------------------------------------
FROM debian:12-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        gcc g++ python3 pypy3 default-jdk-headless nodejs golang-go rustc \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/codejury /opt/codejury
ENV PATH=/opt/codejury/bin:/usr/local/bin:/usr/bin:/bin HOME=/tmp
# A number, so that Kubernetes can see that it is not root's. It owns nothing, and writes to /tmp alone.
USER 65532:65532
WORKDIR /tmp
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python3", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/readyz', timeout=4)"]
ENTRYPOINT ["codejury"]
# All of the container's addresses: so a token is demanded (CODEJURY_TOKEN).
CMD ["serve", "--host", "0.0.0.0", "--port", "8080"]
