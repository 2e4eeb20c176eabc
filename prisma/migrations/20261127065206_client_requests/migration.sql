-- CreateTable
CREATE TABLE "client_request" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "client_id" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "code" TEXT,
    "fields" TEXT[],
    "warning_fields" TEXT[],
    "latency_ms" REAL NOT NULL,

    CONSTRAINT "client_request_pkey" PRIMARY KEY ("organization_id","id","at")
) PARTITION BY RANGE ("at");

-- CreateTable
CREATE TABLE "request_digest" (
    "organization_id" INTEGER NOT NULL,
    "client_id" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "next_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "request_digest_pkey" PRIMARY KEY ("organization_id","client_id","user_id")
);

-- CreateIndex
CREATE INDEX "client_request_organization_id_client_id_id_idx" ON "client_request"("organization_id", "client_id", "id");

-- CreateIndex
CREATE INDEX "client_request_organization_id_request_id_idx" ON "client_request"("organization_id", "request_id");

-- CreateIndex
CREATE INDEX "client_request_at_idx" ON "client_request" USING BRIN ("at");

-- CreateIndex
CREATE INDEX "request_digest_organization_id_user_id_idx" ON "request_digest"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "request_digest_next_at_idx" ON "request_digest"("next_at");

-- AddForeignKey
ALTER TABLE "request_digest" ADD CONSTRAINT "request_digest_organization_id_client_id_fkey" FOREIGN KEY ("organization_id", "client_id") REFERENCES "api_client_grant"("organization_id", "client_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "request_digest" ADD CONSTRAINT "request_digest_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
-- Failures are few among many successes.
CREATE INDEX client_request_failures_idx ON client_request (organization_id, client_id, id) WHERE status >= 400;
ALTER TABLE request_digest ADD CONSTRAINT request_digest_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);

-- The partitions of the table, by the functions that make and drop those of the logs.
CREATE OR REPLACE FUNCTION log_partitions() RETURNS TABLE (log text, name text, lower timestamptz, upper timestamptz)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT p.relname::text, c.relname::text,
         substring(b.bound FROM $r$FROM \('([^']+)'\)$r$)::timestamptz, substring(b.bound FROM $r$TO \('([^']+)'\)$r$)::timestamptz
    FROM pg_inherits i
    JOIN pg_class p ON p.oid = i.inhparent
    JOIN pg_class c ON c.oid = i.inhrelid
   CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS bound) b
   WHERE i.inhparent IN (to_regclass('audit_entry'), to_regclass('event'), to_regclass('client_request')) AND p.relkind = 'p' AND c.relkind = 'r'
$$;

-- Drops the partitions of events and requests that are empty, and end a week ago or earlier: both are deleted by age. Returns their names.
CREATE OR REPLACE FUNCTION drop_empty_event_partitions() RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '500ms' AS $$
DECLARE
  before CONSTANT timestamptz := now() - interval '7 days';
  divided text;
  partition text;
  used boolean;
  dropped text[] := '{}';
BEGIN
  FOR divided, partition IN
    SELECT p.log, p.name FROM log_partitions() p WHERE p.log IN ('event', 'client_request') AND p.upper <= before ORDER BY p.upper, p.log
  LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', partition) INTO used;
    CONTINUE WHEN used;
    -- Whoever writes there has it in use until the end of the transaction; then it is looked at again.
    EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', divided);
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', partition);
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', partition) INTO used;
    CONTINUE WHEN used;
    EXIT WHEN NOT drop_log_partition(divided, partition, before);
    dropped := dropped || partition;
  END LOOP;
  RETURN dropped;
END $$;

CREATE TABLE client_request_default PARTITION OF client_request DEFAULT;
SELECT guard_log_partition('client_request', 'client_request_default');
