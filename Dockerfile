# The server in a container. In a clone:
#   docker build -t keyrail:0.1.0 .
#   podman build --format docker -t keyrail:0.1.0 .    (other formats have no health check)
# docs/deploy.md shows how to run it.
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /opt/keyrail
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY scripts scripts
COPY packages packages
# The setup installs what it needs, without another Node.js. The second installation has what the
# server itself needs, without the build tools.
RUN node scripts/setup.mjs --server \
  && npm ci --omit=dev --workspace packages/server

FROM ${BASE}
WORKDIR /opt/keyrail
COPY deploy/probe.mjs deploy/probe.mjs
COPY --from=build /opt/keyrail/package-lock.json package-lock.json
COPY --from=build /opt/keyrail/node_modules node_modules
COPY --from=build /opt/keyrail/packages/protocol packages/protocol
COPY --from=build /opt/keyrail/packages/reference packages/reference
COPY --from=build /opt/keyrail/packages/server packages/server
COPY --from=build /opt/keyrail/packages/dashboard/dist packages/dashboard/dist
RUN install -d -o node -g node -m 0700 /var/lib/keyrail
# Loopback can't be reached from outside the container, so the server listens on all its addresses.
ENV NODE_ENV=production KEYRAIL_HOST=0.0.0.0 KEYRAIL_DATA_DIR=/var/lib/keyrail
EXPOSE 4400
# The only directory the server writes to: the rest can be read-only.
VOLUME /var/lib/keyrail
# A number, because Kubernetes cannot tell that a name is not root. It is the base's user node.
USER 1000:1000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "deploy/probe.mjs", "http://127.0.0.1:4400/healthz"]
ENTRYPOINT ["node", "packages/server/bin/keyrail-server.js"]
CMD ["start"]
