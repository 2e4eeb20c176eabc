import pg from 'pg';

/** Columns that differ between two patients who were written in the same way. */
const OWN = `ARRAY['id', 'patient_id', 'local_patient_id', 'created_at', 'updated_at']`;

/** The patient with registrations and name keys, and whether the row was just written. */
const ROWS = `
  SELECT to_jsonb(p) - ${OWN} AS patient, p.updated_at > now() - interval '1 minute' AS written_now,
         (SELECT json_agg(to_jsonb(r) - ${OWN} || jsonb_build_object('own_id', r.local_patient_id = p.id) ORDER BY r.office_id)
            FROM patient_registration r WHERE r.organization_id = p.organization_id AND r.patient_id = p.id) AS registrations,
         (SELECT json_agg(to_jsonb(k) - ${OWN} ORDER BY k.ordinal)
            FROM patient_name_key k WHERE k.organization_id = p.organization_id AND k.patient_id = p.id) AS name_keys
    FROM patient p WHERE p.id = $1`;

/** Reads back written rows. Patient ids come from one sequence for all organizations. */
export async function openReadBack(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    async rowsOf(patientId: number): Promise<Record<string, unknown>> {
      const { rows } = await client.query<Record<string, unknown>>(ROWS, [patientId]);
      const [found] = rows;
      if (!found || rows.length > 1) throw new Error(`there are ${rows.length} patients ${patientId}`);
      return found;
    },
    /** Deletes a chart, so that the next registration of the person makes another. */
    async setAside(patientId: number): Promise<void> {
      await client.query("UPDATE patient SET status = 'deleted' WHERE id = $1", [patientId]);
    },
    /** The highest existing id. */
    async lastId(): Promise<number> {
      const { rows } = await client.query<{ id: number }>('SELECT max(id) AS id FROM patient');
      return rows[0]?.id ?? 0;
    },
    close: () => client.end(),
  };
}

export type ReadBack = Awaited<ReturnType<typeof openReadBack>>;
