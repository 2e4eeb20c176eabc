/**
 * Triggers that hold only where all tables are on one machine: each reads or writes rows that are on another node in a database that is
 * distributed. There the server alone holds what they hold, in the functions that are named.
 */
export const TRIGGERS_OF_ONE_MACHINE: readonly { table: string; trigger: string; heldBy: string }[] = [
  { table: 'api_client_grant', trigger: 'api_client_exists', heldBy: 'domain/identity/clients/clients.ts' },
  { table: 'appointment', trigger: 'appointment_type_is_global', heldBy: 'domain/scheduling/types/appointment-types.ts' },
  { table: 'appointment_type', trigger: 'appointment_type_is_unused_elsewhere', heldBy: 'domain/scheduling/types/appointment-types.ts' },
  { table: 'phone_number', trigger: 'phone_number_held_added', heldBy: 'domain/messaging/numbers/number-directory.ts' },
  { table: 'phone_number', trigger: 'phone_number_held_changed', heldBy: 'domain/messaging/numbers/number-directory.ts' },
];

/**
 * Triggers over all rows of a statement, which a node never sees together, and what does the same for each row. On one machine the
 * former is faster for imports.
 */
export const TRIGGERS_FOR_EACH_ROW: readonly { table: string; instead: string; trigger: string; sql: string }[] = [
  {
    table: 'patient',
    instead: 'patient_name_keys_added',
    trigger: 'patient_name_key_added',
    sql: `CREATE TRIGGER patient_name_key_added AFTER INSERT ON patient FOR EACH ROW
  WHEN (NEW.status <> 'deleted' AND NOT NEW.restricted) EXECUTE FUNCTION patient_name_key_added()`,
  },
];
