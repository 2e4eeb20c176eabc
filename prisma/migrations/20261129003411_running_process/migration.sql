-- CreateTable
CREATE TABLE "running_process" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "key_ids" TEXT[],
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "running_process_pkey" PRIMARY KEY ("id")
);
