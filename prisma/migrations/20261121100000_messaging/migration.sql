-- Messaging: texts, mail, numbers, calls, check-ins, files.

-- The queue of jobs (src/jobs/queue.ts): what pg-boss 12.35 (its schema 43) installs, under our migrations, so that no
-- process changes the schema while others work. An upgrade of pg-boss that brings a newer schema needs a migration with
-- what its getMigrationPlans('queue', 43) writes; until then the server says so when it starts.
CREATE SCHEMA queue;
    CREATE TYPE queue.job_state AS ENUM (
      'created',
      'retry',
      'active',
      'completed',
      'cancelled',
      'failed'
    );
    CREATE FUNCTION queue.job_now()
    RETURNS timestamp with time zone AS
    $$
      SELECT pg_catalog.now();
    $$
    LANGUAGE sql STABLE;
    CREATE TABLE queue.version (
      version int primary key,
      cron_on timestamp with time zone,
      bam_on timestamp with time zone,
      flow_on timestamp with time zone,
      reindex_on timestamp with time zone,
      monitor_backoff_on timestamp with time zone
    );
    CREATE TABLE queue.queue (
      name text NOT NULL,
      policy text NOT NULL,
      retry_limit int NOT NULL,
      retry_delay int NOT NULL,
      retry_backoff bool NOT NULL,
      retry_delay_max int,
      expire_seconds int NOT NULL,
      retention_seconds int NOT NULL,
      deletion_seconds int NOT NULL,
      dead_letter text REFERENCES queue.queue (name) CHECK (dead_letter IS DISTINCT FROM name),
      partition bool NOT NULL,
      table_name text NOT NULL,
      deferred_count int NOT NULL default 0,
      queued_count int NOT NULL default 0,
      ready_count int NOT NULL default 0,
      warning_queued int NOT NULL default 0,
      active_count int NOT NULL default 0,
      failed_count int NOT NULL default 0,
      total_count int NOT NULL default 0,
      created_delta int NOT NULL default 0,
      completed_delta int NOT NULL default 0,
      failed_delta int NOT NULL default 0,
      delta_on timestamp with time zone,
      delta_seconds int,
      ready_history int[] NOT NULL default '{}',
      heartbeat_seconds int,
      notify bool NOT NULL DEFAULT false,
      singletons_active text[],
      monitor_claim_on timestamp with time zone,
      monitor_on timestamp with time zone,
      maintain_on timestamp with time zone,
      created_on timestamp with time zone not null default now(),
      updated_on timestamp with time zone not null default now(),
      PRIMARY KEY (name)
    );
    CREATE TABLE queue.schedule (
      name text REFERENCES queue.queue ON DELETE CASCADE,
      key text not null DEFAULT '',
      kind text not null DEFAULT 'cron' CHECK (kind IN ('cron', 'rrule')),
      cron text not null,
      timezone text DEFAULT 'UTC',
      data jsonb,
      options jsonb,
      created_on timestamp with time zone not null default now(),
      updated_on timestamp with time zone not null default now(),
      last_job_id uuid,
      PRIMARY KEY (name, key)
    );
    CREATE TABLE queue.subscription (
      event text not null,
      name text not null REFERENCES queue.queue ON DELETE CASCADE,
      created_on timestamp with time zone not null default now(),
      updated_on timestamp with time zone not null default now(),
      PRIMARY KEY(event, name)
    );
    CREATE TABLE queue.bam (
      id uuid PRIMARY KEY default gen_random_uuid(),
      name text NOT NULL,
      version int NOT NULL,
      status text NOT NULL DEFAULT 'pending',
      queue text,
      table_name text NOT NULL,
      command text NOT NULL,
      error text,
      created_on timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
      started_on timestamp with time zone,
      completed_on timestamp with time zone
    );
    CREATE FUNCTION queue.job_table_format(command text, table_name text)
    RETURNS text AS
    $$
      SELECT format(
        regexp_replace(
          regexp_replace(command, '\.job\y', '.%1$I', 'g'),
          '\yjob_i(\d+)', '%1$s_i\1', 'g'
        ),
        table_name
      );
    $$
    LANGUAGE sql IMMUTABLE;
    CREATE FUNCTION queue.job_table_run(command text, tbl_name text DEFAULT NULL, queue_name text DEFAULT NULL)
    RETURNS VOID AS
    $$
    DECLARE
      tbl RECORD;
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM queue.queue WHERE name = queue_name;
      END IF;
      IF tbl_name IS NOT NULL THEN
        EXECUTE queue.job_table_format(command, tbl_name);
        RETURN;
      END IF;
      EXECUTE queue.job_table_format(command, 'job_common');
      FOR tbl IN SELECT table_name FROM queue.queue WHERE partition = true
      LOOP
        EXECUTE queue.job_table_format(command, tbl.table_name);
      END LOOP;
    END;
    $$
    LANGUAGE plpgsql;
    CREATE FUNCTION queue.job_table_run_async(command_name text, version int, command text, tbl_name text DEFAULT NULL, queue_name text DEFAULT NULL)
    RETURNS VOID AS
    $$
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM queue.queue WHERE name = queue_name;
      END IF;
      IF tbl_name IS NOT NULL THEN
        INSERT INTO queue.bam (name, version, status, queue, table_name, command)
        VALUES (
          command_name,
          version,
          'pending',
          queue_name,
          tbl_name,
          queue.job_table_format(command, tbl_name)
        );
        RETURN;
      END IF;
      INSERT INTO queue.bam (name, version, status, queue, table_name, command)
      SELECT
        command_name,
        version,
        'pending',
        NULL,
        'job_common',
        queue.job_table_format(command, 'job_common')
      UNION ALL
      SELECT
        command_name,
        version,
        'pending',
        queue.name,
        queue.table_name,
        queue.job_table_format(command, queue.table_name)
      FROM queue.queue
      WHERE partition = true;
    END;
    $$
    LANGUAGE plpgsql;
    CREATE TABLE queue.job (
      id uuid not null default gen_random_uuid(),
      name text not null,
      priority integer not null default(0),
      data jsonb,
      state queue.job_state not null default 'created',
      retry_limit integer not null default 2,
      retry_count integer not null default 0,
      retry_delay integer not null default 0,
      retry_backoff boolean not null default false,
      retry_delay_max integer,
      expire_seconds int not null default 900,
      deletion_seconds int not null default 604800,
      singleton_key text,
      singleton_on timestamp without time zone,
      group_id text,
      group_tier text,
      start_after timestamp with time zone not null default now(),
      created_on timestamp with time zone not null default now(),
      started_on timestamp with time zone,
      completed_on timestamp with time zone,
      keep_until timestamp with time zone NOT NULL default now() + interval '1209600',
      output jsonb,
      dead_letter text,
      policy text,
      heartbeat_on timestamp with time zone,
      heartbeat_seconds int,
      blocked boolean not null default false,
      blocking boolean not null default false,
      pending_dependencies int not null default 0,
      source_name text,
      source_id uuid,
      source_created_on timestamp with time zone,
      source_retry_count int,
      source_output jsonb,
      source_root_id uuid
    ) PARTITION BY LIST (name);
ALTER TABLE queue.job ADD PRIMARY KEY (name, id);
    CREATE TABLE queue.job_common (LIKE queue.job INCLUDING GENERATED INCLUDING DEFAULTS);
    SELECT queue.job_table_run($cmd$ALTER TABLE queue.job ADD PRIMARY KEY (name, id)$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$ALTER TABLE queue.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES queue.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$ALTER TABLE queue.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES queue.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE UNIQUE INDEX job_i1 ON queue.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE UNIQUE INDEX job_i2 ON queue.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE UNIQUE INDEX job_i3 ON queue.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE UNIQUE INDEX job_i6 ON queue.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE UNIQUE INDEX job_i8 ON queue.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE INDEX job_i10 ON queue.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$ALTER TABLE queue.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE UNIQUE INDEX job_i4 ON queue.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE INDEX job_i11 ON queue.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE INDEX job_i7 ON queue.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE INDEX job_i9 ON queue.job (name, id) WHERE blocking AND state = 'completed'$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE INDEX job_i12 ON queue.job (source_root_id) WHERE source_root_id IS NOT NULL$cmd$, 'job_common');
    ALTER TABLE queue.job ATTACH PARTITION queue.job_common DEFAULT;
    CREATE TABLE queue.warning (
      id uuid PRIMARY KEY default gen_random_uuid(),
      type text NOT NULL,
      message text NOT NULL,
      data jsonb,
      created_on timestamp with time zone NOT NULL DEFAULT now()
    );
CREATE INDEX warning_i1 ON queue.warning (created_on DESC);
    CREATE TABLE queue.queue_stats (
      id uuid NOT NULL DEFAULT gen_random_uuid(),
      name text NOT NULL,
      deferred_count int NOT NULL DEFAULT 0,
      queued_count   int NOT NULL DEFAULT 0,
      ready_count    int NOT NULL DEFAULT 0,
      active_count   int NOT NULL DEFAULT 0,
      failed_count   int NOT NULL DEFAULT 0,
      total_count    int NOT NULL DEFAULT 0,
      created_delta   int,
      completed_delta int,
      failed_delta    int,
      delta_seconds   int,
      delta_on        timestamptz,
      captured_on timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (id, captured_on)
    ) PARTITION BY RANGE (captured_on);
CREATE INDEX queue_stats_i1 ON queue.queue_stats (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);
    DO $$
    DECLARE
      d date;
      i int;
      part_name text;
    BEGIN
      FOR i IN 0..1 LOOP
        d := (queue.job_now() AT TIME ZONE 'UTC')::date + i;
        part_name := 'queue_stats_' || to_char(d, 'YYYYMMDD');
        IF NOT EXISTS (
          SELECT 1 FROM pg_class c
          JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'queue' AND c.relname = part_name
        ) THEN
          EXECUTE format(
            'CREATE TABLE queue.%I PARTITION OF queue.queue_stats FOR VALUES FROM (%L) TO (%L)',
            part_name,
            to_char(d, 'YYYY-MM-DD') || ' 00:00:00+00',
            to_char(d + 1, 'YYYY-MM-DD') || ' 00:00:00+00'
          );
        END IF;
      END LOOP;
    END;
    $$;
    CREATE TABLE queue.job_dependency (
      child_name text NOT NULL,
      child_id uuid NOT NULL,
      parent_name text NOT NULL,
      parent_id uuid NOT NULL,
      PRIMARY KEY (child_name, child_id, parent_name, parent_id)
    );
CREATE INDEX IF NOT EXISTS job_dep_parent_idx ON queue.job_dependency (parent_name, parent_id);
    CREATE FUNCTION queue.create_queue(queue_name text, options jsonb)
    RETURNS VOID AS
    $$
    DECLARE
      tablename varchar := CASE WHEN options->>'partition' = 'true'
                            THEN 'j' || encode(sha224(queue_name::bytea), 'hex')
                            ELSE 'job_common'
                            END;
      queue_created_on timestamptz;
    BEGIN
      WITH q as (
        INSERT INTO queue.queue (
          name,
          policy,
          retry_limit,
          retry_delay,
          retry_backoff,
          retry_delay_max,
          expire_seconds,
          retention_seconds,
          deletion_seconds,
          warning_queued,
          dead_letter,
          partition,
          table_name,
          heartbeat_seconds,
          notify,
          created_on,
          updated_on
        )
        VALUES (
          queue_name,
          options->>'policy',
          COALESCE((options->>'retryLimit')::int, 2),
          COALESCE((options->>'retryDelay')::int, 0),
          COALESCE((options->>'retryBackoff')::bool, false),
          (options->>'retryDelayMax')::int,
          COALESCE((options->>'expireInSeconds')::int, 900),
          COALESCE((options->>'retentionSeconds')::int, 1209600),
          COALESCE((options->>'deleteAfterSeconds')::int, 604800),
          COALESCE((options->>'warningQueueSize')::int, 0),
          options->>'deadLetter',
          COALESCE((options->>'partition')::bool, false),
          tablename,
          (options->>'heartbeatSeconds')::int,
          COALESCE((options->>'notify')::bool, false),
          queue.job_now(),
          queue.job_now()
        )
        ON CONFLICT DO NOTHING
        RETURNING created_on
      )
      SELECT created_on into queue_created_on from q;
      IF queue_created_on IS NULL OR options->>'partition' IS DISTINCT FROM 'true' THEN
        RETURN;
      END IF;
      EXECUTE format('CREATE TABLE queue.%I (LIKE queue.job INCLUDING DEFAULTS)', tablename);
      EXECUTE queue.job_table_format($cmd$ALTER TABLE queue.job ADD PRIMARY KEY (name, id)$cmd$, tablename);
      EXECUTE queue.job_table_format($cmd$ALTER TABLE queue.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES queue.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
      EXECUTE queue.job_table_format($cmd$ALTER TABLE queue.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES queue.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
      EXECUTE queue.job_table_format($cmd$CREATE INDEX job_i11 ON queue.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, tablename);
      EXECUTE queue.job_table_format($cmd$CREATE UNIQUE INDEX job_i4 ON queue.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, tablename);
      EXECUTE queue.job_table_format($cmd$CREATE INDEX job_i7 ON queue.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, tablename);
      EXECUTE queue.job_table_format($cmd$CREATE INDEX job_i9 ON queue.job (name, id) WHERE blocking AND state = 'completed'$cmd$, tablename);
      EXECUTE queue.job_table_format($cmd$CREATE INDEX job_i12 ON queue.job (source_root_id) WHERE source_root_id IS NOT NULL$cmd$, tablename);
      IF options->>'policy' = 'short' THEN
        EXECUTE queue.job_table_format($cmd$CREATE UNIQUE INDEX job_i1 ON queue.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, tablename);
      ELSIF options->>'policy' = 'singleton' THEN
        EXECUTE queue.job_table_format($cmd$CREATE UNIQUE INDEX job_i2 ON queue.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, tablename);
      ELSIF options->>'policy' = 'stately' THEN
        EXECUTE queue.job_table_format($cmd$CREATE UNIQUE INDEX job_i3 ON queue.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, tablename);
      ELSIF options->>'policy' = 'exclusive' THEN
        EXECUTE queue.job_table_format($cmd$CREATE UNIQUE INDEX job_i6 ON queue.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, tablename);
      ELSIF options->>'policy' = 'key_strict_fifo' THEN
        EXECUTE queue.job_table_format($cmd$CREATE UNIQUE INDEX job_i8 ON queue.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE queue.job_table_format($cmd$CREATE INDEX job_i10 ON queue.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE queue.job_table_format($cmd$ALTER TABLE queue.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, tablename);
      END IF;
      EXECUTE format('ALTER TABLE queue.%I ADD CONSTRAINT cjc CHECK (name=%L)', tablename, queue_name);
      EXECUTE format('ALTER TABLE queue.job ATTACH PARTITION queue.%I FOR VALUES IN (%L)', tablename, queue_name);
    END;
    $$
    LANGUAGE plpgsql;
    CREATE FUNCTION queue.delete_queue(queue_name text)
    RETURNS VOID AS
    $$
    DECLARE
      v_table varchar;
      v_partition bool;
    BEGIN
      SELECT table_name, partition
      FROM queue.queue
      WHERE name = queue_name
      INTO v_table, v_partition;
      IF v_partition THEN
        EXECUTE format('DROP TABLE IF EXISTS queue.%I', v_table);
      ELSE
        EXECUTE format('DELETE FROM queue.%I WHERE name = %L', v_table, queue_name);
      END IF;
      DELETE FROM queue.queue WHERE name = queue_name;
    END;
    $$
    LANGUAGE plpgsql;
INSERT INTO queue.version(version) VALUES ('43');
SELECT queue.create_queue('unsent', '{"policy": "standard"}');
SELECT queue.create_queue('send-text', '{"policy": "standard"}');
SELECT queue.create_queue('send-mail', '{"policy": "standard"}');
-- End of the queue.

-- Texts: replies go out in quiet hours too, and a question knows whether it was answered.
ALTER TABLE "sms_message" ADD COLUMN "is_reply" BOOLEAN NOT NULL DEFAULT false, ADD COLUMN "answered_at" TIMESTAMPTZ(3);
CREATE INDEX "sms_message_organization_id_to_number_queued_at_idx" ON "sms_message" ("organization_id", "to_number", "queued_at");

-- The mailboxes of a world without a mail server.
CREATE TABLE "local_mail" (
    "reference" TEXT NOT NULL,
    "from_name" TEXT NOT NULL,
    "to_address" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "local_mail_pkey" PRIMARY KEY ("reference")
);
CREATE INDEX "local_mail_sent_at_idx" ON "local_mail"("sent_at");

-- Bytes behind the files gateway that no row names yet.
CREATE TABLE "unclaimed_file" (
    "organization_id" INTEGER NOT NULL,
    "storage_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "unclaimed_file_pkey" PRIMARY KEY ("organization_id","storage_key")
);
CREATE INDEX "unclaimed_file_created_at_idx" ON "unclaimed_file"("created_at");
ALTER TABLE unclaimed_file ADD CONSTRAINT unclaimed_file_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);

-- Numbers: what the carrier was told and answered, and calls by either number.
CREATE TYPE "phone_number_state" AS ENUM ('ordered', 'active', 'failed', 'releasing', 'released');
ALTER TABLE "phone_number" ADD COLUMN "state" "phone_number_state" NOT NULL DEFAULT 'active',
ADD COLUMN "failure" TEXT,
ADD COLUMN "attempts" INTEGER NOT NULL DEFAULT 0;
UPDATE phone_number SET state = 'released' WHERE released_at IS NOT NULL;
-- A number rings in one place: what comes in is found by it before anyone knows whose it is. It takes the place of
-- the index that held this within an organization only.
DROP INDEX phone_number_owned_key;
CREATE UNIQUE INDEX phone_number_held_key ON phone_number (number) WHERE released_at IS NULL;
CREATE INDEX phone_number_waiting_idx ON phone_number (attempts, id) WHERE state IN ('ordered', 'releasing');
CREATE INDEX "incoming_call_organization_id_from_number_started_at_id_idx" ON "incoming_call"("organization_id", "from_number", "started_at", "id");
CREATE INDEX "incoming_call_organization_id_to_number_started_at_id_idx" ON "incoming_call"("organization_id", "to_number", "started_at", "id");
ALTER TABLE "voice_pager_message" ADD COLUMN "recording_url" TEXT;

-- The local carrier's own books.
CREATE TABLE "carrier_number" (
    "id" TEXT NOT NULL,
    "number" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "bought_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "returned_at" TIMESTAMPTZ(3),

    CONSTRAINT "carrier_number_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "carrier_number_reference_key" ON "carrier_number"("reference");
CREATE UNIQUE INDEX carrier_number_sold_key ON carrier_number (number) WHERE returned_at IS NULL;
CREATE TABLE "carrier_text" (
    "id" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "from_number" TEXT NOT NULL,
    "to_number" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "status_url" TEXT,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "carrier_text_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "carrier_text_reference_key" ON "carrier_text"("reference");
CREATE INDEX "carrier_text_to_number_received_at_idx" ON "carrier_text"("to_number", "received_at");
-- Attempts at a carrier that knows no references.
CREATE TABLE "carrier_attempt" (
    "reference" TEXT NOT NULL,
    "begun_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "carrier_id" TEXT,

    CONSTRAINT "carrier_attempt_pkey" PRIMARY KEY ("reference")
);
CREATE UNIQUE INDEX "carrier_attempt_carrier_id_key" ON "carrier_attempt"("carrier_id");
-- Numbers of the demo were bought there.
INSERT INTO carrier_number (id, number, reference, bought_at)
SELECT coalesce(carrier_id, 'PN-' || organization_id || '-' || id), number, 'number-' || organization_id || '-' || id, created_at
  FROM phone_number WHERE carrier = 'local' AND released_at IS NULL
ON CONFLICT DO NOTHING;

-- Contacts: every listed patient is one, under the patient's id, without a row until something refers to it; so ids of
-- contacts and of patients come from one sequence, and a row of a patient keeps no name of its own.
UPDATE contact SET id = -id;
UPDATE contact SET id = coalesce(patient_id, nextval('patient_id_seq')::int);
UPDATE contact SET first_name = NULL, last_name = NULL, phone = NULL, email = NULL WHERE patient_id IS NOT NULL;
ALTER TABLE "contact" ALTER COLUMN "id" SET DEFAULT nextval('patient_id_seq'::regclass);
DROP SEQUENCE contact_id_seq;
ALTER TABLE contact ADD CONSTRAINT contact_patient_id_check CHECK (patient_id = id),
  ADD COLUMN "last_key" TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (coalesce(fold(last_name), '')) STORED,
  ADD COLUMN "first_key" TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (coalesce(fold(first_name), '')) STORED;
-- A number that is no patient's is one contact, however many texts from it come at once.
DROP INDEX "contact_organization_id_phone_idx";
CREATE UNIQUE INDEX contact_number_key ON contact (organization_id, phone) WHERE patient_id IS NULL;
-- In the orders of patient_name_key, so that a page of both is a merge of two ranges.
CREATE INDEX contact_last_idx ON contact (organization_id, last_key, first_key, id) WHERE patient_id IS NULL;
CREATE INDEX contact_first_idx ON contact (organization_id, first_key, last_key, id) WHERE patient_id IS NULL;
CREATE INDEX contact_unknown_idx ON contact (organization_id, id) WHERE patient_id IS NULL;
DROP INDEX "contact_tag_organization_id_name_key";
CREATE UNIQUE INDEX contact_tag_name_key ON contact_tag (organization_id, fold(name));

-- What waits to be sent is looked for across all organizations (src/jobs/lost-jobs.ts); it is never much.
CREATE INDEX "sms_message_queued_idx" ON "sms_message" ("organization_id", "id") WHERE "state" = 'queued';
CREATE INDEX "mail_message_queued_idx" ON "mail_message" ("organization_id", "id") WHERE "state" = 'queued';
