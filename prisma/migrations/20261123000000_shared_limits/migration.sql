-- Rows are changed in place again and again: half of each page is left for that.
CREATE UNLOGGED TABLE "request_count" (
    "key" TEXT NOT NULL,
    "taken" INTEGER NOT NULL,
    "ends_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "request_count_pkey" PRIMARY KEY ("key")
) WITH (fillfactor = 50);
