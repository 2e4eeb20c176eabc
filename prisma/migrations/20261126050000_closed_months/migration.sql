-- DropIndex
DROP INDEX "check_in_review_organization_id_user_id_idx";

-- AlterTable
ALTER TABLE "check_in_review" ADD COLUMN     "late_reason" TEXT;

-- CreateTable
CREATE TABLE "review_release" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "review_id" BIGINT,
    "patient_id" INTEGER NOT NULL,
    "month" TEXT,
    "units" INTEGER,
    "overlapping_ids" BIGINT[],
    "reason" TEXT NOT NULL,
    "released_by_id" INTEGER NOT NULL,
    "released_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "review_release_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "closed_month" (
    "organization_id" INTEGER NOT NULL,
    "month" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL,
    "readings" "monitoring_readings" NOT NULL,
    "supply_period" "monitoring_period" NOT NULL,
    "row_count" INTEGER NOT NULL,
    "hash" BYTEA NOT NULL,
    "held_count" INTEGER NOT NULL,
    "closed_by_id" INTEGER NOT NULL,
    "closed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "closed_month_pkey" PRIMARY KEY ("organization_id","month")
);

-- CreateTable
CREATE TABLE "closed_ledger_row" (
    "organization_id" INTEGER NOT NULL,
    "month" TEXT NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    "document" TEXT NOT NULL,
    "evidence" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "reason" TEXT,
    "recorded_by_id" INTEGER NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "closed_ledger_row_pkey" PRIMARY KEY ("organization_id","month","patient_id","version")
);

-- CreateTable
CREATE TABLE "month_closing" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "month" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL,
    "readings" "monitoring_readings" NOT NULL,
    "supply_period" "monitoring_period" NOT NULL,
    "leave_held" BOOLEAN NOT NULL,
    "patient_ids" INTEGER[],
    "done" INTEGER NOT NULL DEFAULT 0,
    "held" INTEGER NOT NULL DEFAULT 0,
    "requested_by_id" INTEGER NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "is_refused" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "month_closing_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "month_closing_row" (
    "organization_id" INTEGER NOT NULL,
    "closing_id" BIGINT NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "document" TEXT NOT NULL,
    "evidence" TEXT NOT NULL,

    CONSTRAINT "month_closing_row_pkey" PRIMARY KEY ("organization_id","closing_id","patient_id")
);

-- CreateIndex
CREATE INDEX "review_release_organization_id_released_by_id_idx" ON "review_release"("organization_id", "released_by_id");

-- CreateIndex
CREATE INDEX "review_release_organization_id_review_id_kind_idx" ON "review_release"("organization_id", "review_id", "kind");

-- CreateIndex
CREATE UNIQUE INDEX "review_release_organization_id_patient_id_month_units_key" ON "review_release"("organization_id", "patient_id", "month", "units");

-- CreateIndex
CREATE INDEX "closed_month_organization_id_closed_by_id_idx" ON "closed_month"("organization_id", "closed_by_id");

-- CreateIndex
CREATE INDEX "closed_ledger_row_organization_id_patient_id_idx" ON "closed_ledger_row"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "closed_ledger_row_organization_id_recorded_by_id_idx" ON "closed_ledger_row"("organization_id", "recorded_by_id");

-- CreateIndex
CREATE INDEX "month_closing_organization_id_requested_by_id_idx" ON "month_closing"("organization_id", "requested_by_id");

-- CreateIndex
CREATE INDEX "month_closing_organization_id_month_id_idx" ON "month_closing"("organization_id", "month", "id");

-- CreateIndex
CREATE INDEX "month_closing_row_organization_id_patient_id_idx" ON "month_closing_row"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "check_in_review_organization_id_user_id_started_at_idx" ON "check_in_review"("organization_id", "user_id", "started_at");

-- AddForeignKey
ALTER TABLE "review_release" ADD CONSTRAINT "review_release_organization_id_review_id_fkey" FOREIGN KEY ("organization_id", "review_id") REFERENCES "check_in_review"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "review_release" ADD CONSTRAINT "review_release_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "review_release" ADD CONSTRAINT "review_release_organization_id_released_by_id_fkey" FOREIGN KEY ("organization_id", "released_by_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "closed_month" ADD CONSTRAINT "closed_month_organization_id_closed_by_id_fkey" FOREIGN KEY ("organization_id", "closed_by_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "closed_ledger_row" ADD CONSTRAINT "closed_ledger_row_organization_id_month_fkey" FOREIGN KEY ("organization_id", "month") REFERENCES "closed_month"("organization_id", "month") ON DELETE NO ACTION ON UPDATE NO ACTION DEFERRABLE INITIALLY DEFERRED;

-- AddForeignKey
ALTER TABLE "closed_ledger_row" ADD CONSTRAINT "closed_ledger_row_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "closed_ledger_row" ADD CONSTRAINT "closed_ledger_row_organization_id_recorded_by_id_fkey" FOREIGN KEY ("organization_id", "recorded_by_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "month_closing" ADD CONSTRAINT "month_closing_organization_id_requested_by_id_fkey" FOREIGN KEY ("organization_id", "requested_by_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "month_closing_row" ADD CONSTRAINT "month_closing_row_organization_id_closing_id_fkey" FOREIGN KEY ("organization_id", "closing_id") REFERENCES "month_closing"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "month_closing_row" ADD CONSTRAINT "month_closing_row_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

ALTER TABLE "review_release" ADD CONSTRAINT "review_release_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "closed_month" ADD CONSTRAINT "closed_month_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "closed_ledger_row" ADD CONSTRAINT "closed_ledger_row_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "month_closing" ADD CONSTRAINT "month_closing_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "month_closing_row" ADD CONSTRAINT "month_closing_row_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);

-- A release is of a review, or of the units of a month.
ALTER TABLE "review_release" ADD CONSTRAINT "review_release_subject_check" CHECK ((review_id IS NULL) = (month IS NOT NULL) AND (month IS NULL) = (units IS NULL));

-- One closing of a month is under way at a time; workers look for it in all organizations.
CREATE UNIQUE INDEX month_closing_open_key ON month_closing (organization_id, month) WHERE finished_at IS NULL;

-- Releases, closed months and their rows are append-only. The rows of a month are stored before it, since its hash is over theirs.
CREATE TRIGGER review_release_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON review_release FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_month_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON closed_month FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_ledger_row_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON closed_ledger_row FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The hash of a closed month: over a line of all that is stored of its closing, and a line of patient and hash for each row that it
-- was closed with, by patient.
CREATE FUNCTION closed_month_hash(closed closed_month) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(convert_to(
    concat_ws(' ', closed.organization_id, closed.month, closed.time_zone, closed.readings, closed.supply_period, closed.row_count,
              closed.held_count, closed.closed_by_id, to_char(closed.closed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) || E'\n' ||
    coalesce(string_agg(patient_id || ' ' || encode(hash, 'hex') || E'\n', '' ORDER BY patient_id), ''), 'UTF8'))
    FROM closed_ledger_row WHERE organization_id = closed.organization_id AND month = closed.month AND version = 1
$$;

-- A closed month is stored with its hash.
CREATE FUNCTION set_closed_month_hash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.hash := closed_month_hash(NEW);
  RETURN NEW;
END $$;
CREATE TRIGGER closed_month_hash BEFORE INSERT ON closed_month FOR EACH ROW EXECUTE FUNCTION set_closed_month_hash();

-- The audit of closings, of which there are few, is found among millions of rows.
CREATE INDEX audit_entry_closed_month_idx ON audit_entry (organization_id, id) WHERE resource = 'closed_month';
