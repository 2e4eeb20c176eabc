#!/bin/sh
# As the entry point of the official image, as far as docker-compose.yml needs it: an empty volume gets a cluster with the superuser's
# password, and the scripts of docker-entrypoint-initdb.d are run on it before it listens to others.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  chmod 0700 "$PGDATA"
  printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
  # shellcheck disable=SC2086 # several words
  initdb --username=postgres --pwfile=/tmp/password --auth-host=scram-sha-256 --auth-local=trust $POSTGRES_INITDB_ARGS
  rm /tmp/password
  printf 'host all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
  printf "listen_addresses = '*'\nunix_socket_directories = '/var/run/postgresql'\n" >>"$PGDATA/postgresql.conf"
  pg_ctl --pgdata="$PGDATA" --options="-c listen_addresses=''" --wait start
  for script in /docker-entrypoint-initdb.d/*.sql; do
    psql --set ON_ERROR_STOP=1 --no-password --host=/var/run/postgresql --username=postgres --file "$script"
  done
  pg_ctl --pgdata="$PGDATA" --mode=fast --wait stop
fi
exec "$@"
