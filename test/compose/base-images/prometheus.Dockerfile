FROM triptych-test/debian
RUN apt-get update && apt-get install --yes --no-install-recommends prometheus && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=65534 --group=65534 /prometheus
USER 65534
ENTRYPOINT ["/usr/bin/prometheus"]
