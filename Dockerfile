# The hub in a container, with what agents that work on code need: a sandbox and git.
#
#   docker build -t parley .
#   docker run --rm -it -v "$PWD/my-team:/team" parley
#
# The hub listens on the container's own loopback address unless parley.yaml says
# otherwise (docs/operations.md); commands run inside: docker exec … parley ask …
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
# .git comes along, which the program's version is made of. Where there is none that git can
# read, as in a worktree: docker build --build-arg GOFLAGS=-buildvcs=false
ARG GOFLAGS
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /parley ./cmd/parley

FROM debian:stable-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap ca-certificates git \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 1000 parley \
 && install -d -o parley -g parley /team
COPY --from=build /parley /usr/local/bin/parley
USER parley
WORKDIR /team
VOLUME /team
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s CMD ["parley", "status"]
ENTRYPOINT ["parley"]
CMD ["up"]
