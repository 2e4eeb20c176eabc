-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "key" TEXT;

-- CreateTable
CREATE TABLE "item_key" (
    "organization_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "item_id" INTEGER NOT NULL,

    CONSTRAINT "item_key_pkey" PRIMARY KEY ("organization_id","kind","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "item_key_organization_id_kind_item_id_key" ON "item_key"("organization_id", "kind", "item_id");

-- CreateIndex
CREATE UNIQUE INDEX "organization_key_key" ON "organization"("key");

-- As every table of a practice's own.
ALTER TABLE "item_key" ADD CONSTRAINT "item_key_organization_fkey" FOREIGN KEY ("organization_id") REFERENCES "organization"("id");
