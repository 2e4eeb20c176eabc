-- AlterTable
ALTER TABLE "patient" ADD COLUMN     "external_id" TEXT;

-- AlterTable
ALTER TABLE "appointment" ADD COLUMN     "external_id" TEXT;

-- CreateTable
CREATE TABLE "import_run" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'receiving',
    "on_match" TEXT NOT NULL,
    "dry_run" BOOLEAN NOT NULL DEFAULT false,
    "mapping" JSONB NOT NULL DEFAULT '{}',
    "caller" JSONB NOT NULL,
    "fingerprint" BYTEA,
    "total_bytes" BIGINT,
    "received_bytes" BIGINT NOT NULL DEFAULT 0,
    "read_bytes" BIGINT NOT NULL DEFAULT 0,
    "format" TEXT,
    "columns" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "ignored_columns" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "rows" INTEGER NOT NULL DEFAULT 0,
    "created" INTEGER NOT NULL DEFAULT 0,
    "updated" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "matched" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "failure" TEXT,
    "leased_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "touched_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "import_run_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "import_part" (
    "organization_id" INTEGER NOT NULL,
    "import_id" BIGINT NOT NULL,
    "position" BIGINT NOT NULL,
    "byte_length" INTEGER NOT NULL,
    "storage_key" TEXT NOT NULL,

    CONSTRAINT "import_part_pkey" PRIMARY KEY ("organization_id","import_id","position")
);

-- CreateTable
CREATE TABLE "import_report_row" (
    "organization_id" INTEGER NOT NULL,
    "import_id" BIGINT NOT NULL,
    "line" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "patient_id" INTEGER,
    "fields" TEXT,
    "reason" TEXT NOT NULL,
    "row" TEXT NOT NULL,

    CONSTRAINT "import_report_row_pkey" PRIMARY KEY ("organization_id","import_id","line")
);

-- CreateIndex
CREATE INDEX "import_run_organization_id_created_at_id_idx" ON "import_run"("organization_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "import_report_row_organization_id_patient_id_idx" ON "import_report_row"("organization_id", "patient_id");

-- AddForeignKey
ALTER TABLE "import_part" ADD CONSTRAINT "import_part_organization_id_import_id_fkey" FOREIGN KEY ("organization_id", "import_id") REFERENCES "import_run"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "import_report_row" ADD CONSTRAINT "import_report_row_organization_id_import_id_fkey" FOREIGN KEY ("organization_id", "import_id") REFERENCES "import_run"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "import_report_row" ADD CONSTRAINT "import_report_row_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE import_run ADD CONSTRAINT import_run_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE import_part ADD CONSTRAINT import_part_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE import_report_row ADD CONSTRAINT import_report_row_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
