-- Functions as texts: an engine that distributes tables sends them to its nodes in this form, and in no other. A text is read when it
-- runs, so each name in it has its schema; before, names were found once, when the function was made.
DO $$
DECLARE
  here text := quote_ident(current_schema());
  unaccent text := (SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'unaccent');
BEGIN
  EXECUTE format($f$
    CREATE OR REPLACE FUNCTION fold(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
    $body$ SELECT lower(%1$s.unaccent('%1$s.unaccent'::regdictionary, value)) $body$ $f$, unaccent);

  -- The running transaction's position in the order of the logs.
  EXECUTE format($f$
    CREATE OR REPLACE FUNCTION log_transaction() RETURNS bigint LANGUAGE sql VOLATILE AS
    $body$ SELECT (pg_current_xact_id()::text)::bigint + (SELECT transaction_offset FROM %1$s.log_epoch) $body$ $f$, here);

  -- All transactions below this position have ended, so nothing can be added there. Readers of the logs stay below it.
  EXECUTE format($f$
    CREATE OR REPLACE FUNCTION log_horizon() RETURNS bigint LANGUAGE sql STABLE AS
    $body$ SELECT (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint + (SELECT transaction_offset FROM %1$s.log_epoch) $body$ $f$, here);
END $$;

CREATE OR REPLACE FUNCTION without_separators(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
  $$ SELECT translate(name, E' \t\u00a0-\u2010\u2011\u2012\u2013\u2014''\u2018\u2019\u02bc\u00b4`', '') $$;
