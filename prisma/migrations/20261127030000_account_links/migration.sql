-- CreateEnum
CREATE TYPE "account_link_kind" AS ENUM ('reset', 'invitation');

-- CreateTable
CREATE TABLE "account_link" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "kind" "account_link_kind" NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by_id" INTEGER,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "account_link_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "account_link_organization_id_user_id_idx" ON "account_link"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "account_link_organization_id_created_by_id_idx" ON "account_link"("organization_id", "created_by_id");

-- CreateIndex
CREATE INDEX "account_link_expires_at_idx" ON "account_link"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "account_link_organization_id_hash_key" ON "account_link"("organization_id", "hash");

-- AddForeignKey
ALTER TABLE "account_link" ADD CONSTRAINT "account_link_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "account_link" ADD CONSTRAINT "account_link_organization_id_created_by_id_fkey" FOREIGN KEY ("organization_id", "created_by_id") REFERENCES "user"("organization_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- By hand: each row belongs to a practice.
ALTER TABLE "account_link" ADD CONSTRAINT "account_link_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
