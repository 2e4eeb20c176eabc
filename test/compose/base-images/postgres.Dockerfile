FROM triptych-test/debian
COPY native /usr/lib/postgresql/18
COPY postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid postgres --home-dir /var/lib/postgresql --create-home postgres \
  && chmod 0755 /usr/local/bin/docker-entrypoint.sh && chmod 1777 /var/lib/postgresql \
  && mkdir -p /docker-entrypoint-initdb.d && install --directory --owner=postgres --group=postgres --mode=3777 /var/run/postgresql
ENV PATH=/usr/lib/postgresql/18/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    PGDATA=/var/lib/postgresql/18/docker
VOLUME /var/lib/postgresql
ENTRYPOINT ["docker-entrypoint.sh"]
STOPSIGNAL SIGINT
CMD ["postgres"]
