-- The colour and the logo that a practice's pages show. Beside the practice and not in it, since only pages read a logo.
-- CreateTable
CREATE TABLE "organization_look" (
    "organization_id" INTEGER NOT NULL,
    "colour" TEXT,
    "logo" BYTEA,
    "logo_hash" TEXT,
    "logo_width" INTEGER,
    "logo_height" INTEGER,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "organization_look_pkey" PRIMARY KEY ("organization_id")
);

-- AddForeignKey: every row of an organization refers to it.
ALTER TABLE "organization_look" ADD CONSTRAINT "organization_look_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
