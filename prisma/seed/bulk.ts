import type { Db } from '../../src/database/database.ts';
import { Prisma } from '../../src/generated/prisma/client.ts';

interface Tables {
  patient: Prisma.PatientCreateManyInput;
  patient_registration: Prisma.PatientRegistrationCreateManyInput;
  insurance: Prisma.InsuranceCreateManyInput;
  privacy_item: Prisma.PrivacyItemCreateManyInput;
  balance: Prisma.BalanceCreateManyInput;
  claim: Prisma.ClaimCreateManyInput;
  patient_custom_field: Prisma.PatientCustomFieldCreateManyInput;
  appointment: Prisma.AppointmentCreateManyInput;
  user_appointment: Prisma.UserAppointmentCreateManyInput;
  check_in: Prisma.CheckInCreateManyInput;
  check_in_review: Prisma.CheckInReviewCreateManyInput;
}

/**
 * Inserts many rows of a practice by one statement, in their order. Prisma compiles every value of a createMany,
 * and for the largest tables that takes several times as long as the insert itself. Unlike a createMany it fills in
 * nothing: where the table has an `updatedAt`, the rows need it, and a field that only some rows have is null in the others.
 */
export async function insertRows<Table extends keyof Tables>(tx: Db, table: Table, rows: readonly Tables[Table][]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  if (rows.some(({ organizationId }) => organizationId !== first.organizationId)) throw new Error('the rows are of several practices');
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((field) => field !== 'organizationId');
  const columns = Prisma.raw(fields.map((field) => `"${columnName(field)}"`).join(', '));
  const documents = JSON.stringify(
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([field, value]) => [columnName(field), written(value)]))),
  );
  const into = Prisma.raw(`"${table}"`);
  await tx.$executeRaw`
    INSERT INTO ${into} (organization_id, ${columns})
    SELECT ${first.organizationId}::int, ${columns} FROM jsonb_populate_recordset(NULL::${into}, ${documents}::jsonb) WITH ORDINALITY ORDER BY ordinality`;
}

/** The schema names every column by its field: `birthDate` is `birth_date`, `countryCode3166` is `country_code_3166`. */
function columnName(field: string): string {
  return field.replace(/[A-Z]|\d{4}/g, (part) => `_${part.toLowerCase()}`);
}

/** JSON formats dates; bytes get PostgreSQL's format. */
function written(value: unknown): unknown {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value;
}
