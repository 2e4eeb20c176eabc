-- CreateTable
CREATE TABLE "database_size" (
    "day" DATE NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "database_size_pkey" PRIMARY KEY ("day")
);
