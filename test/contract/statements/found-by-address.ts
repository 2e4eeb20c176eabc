/** Rows of practices that are found before their practice is known, by what is one in the world or asked of all; and who looks so. */
interface Lookup {
  table: string;
  /** The column that is compared; none: all rows are read. */
  by: string | null;
  because: string;
}

/**
 * Statements of Prisma over the rows of all practices, each of one table. In a database that is distributed by practice such a lookup asks
 * every node, or a directory that stands on all of them.
 */
export const LOOKUPS: readonly Lookup[] = [
  { table: 'mail_domain', by: 'domain', because: 'who signs in names an address, and a domain has one holder' },
  { table: 'api_client_grant', by: 'client_id', because: 'a token names its client, which may act for several practices' },
  { table: 'security_policy', by: 'messaging_service_sid', because: 'a messaging service at the carrier is one practice’s' },
  { table: 'session', by: 'client_id', because: 'an app that is switched off loses its sessions everywhere' },
  { table: 'user', by: 'id', because: 'an operator names a user by id alone' },
  { table: 'appointment', by: 'type_id', because: 'the type of one practice may be in use in others' },
  { table: 'month_closing', by: 'finished_at', because: 'a job asks which months are being closed' },
  { table: 'audit_link', by: null, because: 'the doctor asks whether anything was sealed' },
  { table: 'retention_policy', by: null, because: 'the job asks which practices delete by age' },
];

/** Tables that stand whole on one node or on all of them: their rows are asked for by practices that they are not of. */
export const ON_EVERY_NODE: Readonly<Record<string, string>> = {
  appointment_type: 'a practice uses the global types of others',
  held_number: 'a text or a call names the number that it came to',
  sign_in: 'an address is looked for before its practice is known',
};
