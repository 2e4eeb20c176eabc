-- CreateTable
CREATE TABLE "insurance_package" (
    "organization_id" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "plan_name" TEXT NOT NULL,
    "type" TEXT,
    "irc_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "insurance_package_pkey" PRIMARY KEY ("organization_id","number")
);
ALTER TABLE insurance_package ADD CONSTRAINT insurance_package_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);
