# Server, worker and migrations are one image; docker-compose.yml names the command of each container.
# Each program is one file of dist (`npm run build`), which reads pages, migrations and threads from src.

# Another address of the same image, such as one by its digest.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS manifest
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The project's own optional dependencies are an embedded PostgreSQL and a Node binary: an image has both already.
# "--omit=optional" would also leave out the native half of argon2, an optional dependency of that package,
# so they are taken out of package.json instead; "npm ci" still installs exactly what the lockfile says.
RUN npm pkg delete optionalDependencies

FROM manifest AS build
COPY prisma ./prisma
RUN --mount=type=cache,target=/root/.npm npm ci
COPY prisma.config.ts ./
COPY scripts ./scripts
COPY src ./src
RUN node scripts/build.mjs

FROM manifest AS production
COPY prisma/unused ./prisma/unused
# Prisma's command line made the client above; the server never calls it, and it is half of node_modules.
RUN npm pkg delete dependencies.prisma
# Nor does anything at run time read types, source maps, the compiler that Prisma would check types with, or the client's library, which
# is in the bundle.
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.[cm]ts' \) -delete \
  && rm -rf node_modules/typescript node_modules/@typescript node_modules/@prisma/client

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    TRIPTYCH_HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data \
    NODE_OPTIONS=--max-semi-space-size=16
WORKDIR /app
# Mount points of volumes, which take their owner from here.
RUN install --directory --owner=node --group=node --mode=0700 /data /backups
COPY --from=production /app/node_modules ./node_modules
COPY package.json LICENSE SECURITY.md ./
COPY prisma ./prisma
COPY openapi ./openapi
COPY docs ./docs
COPY src ./src
COPY --from=build /app/src/generated/prisma/internal/compiler.wasm ./src/generated/prisma/internal/
COPY --from=build /app/dist ./dist
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
# By the shell: a Node process for each check would take a hundred times as long. A worker listens on WORKER_PORT.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${WORKER_PORT:-$PORT} && printf 'GET /readyz HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r -t 4 -u 3 _ status _ && [ \"$status\" = 200 ]"]
CMD ["node", "dist/server.js"]
