import { parse } from 'node:querystring';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { POSSIBLE_MATCHES, SAME_PERSON } from '../../src/domain/patients/registration/possible-matches.sql.ts';

type Form = Record<string, string | string[] | undefined>;

/** The patient and the registration with the department, in one statement. */
const REGISTER = {
  name: 'register',
  text: `
    WITH made AS (
      INSERT INTO patient (organization_id, first_name, last_name, birth_date, sex, address1, address2, city, state, zip, email, home_phone, mobile_phone,
                           races, primary_office_id, registration_date, updated_at)
      SELECT $1, $2, $3, $4::date, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::text[], $15::int, (now() AT TIME ZONE time_zone)::date, now()
        FROM organization WHERE id = $1
      RETURNING id, registration_date
    ), registered AS (
      INSERT INTO patient_registration (organization_id, patient_id, office_id, provider_group_id, local_patient_id, registered_on, updated_at)
      SELECT $1, made.id, o.id, o.provider_group_id, made.id, made.registration_date, now()
        FROM made JOIN office o ON o.organization_id = $1 AND o.id = $15::int
    )
    SELECT id FROM made`,
};

/** The column of each field of an update, the address excepted. */
const FIELDS: Record<string, string> = {
  firstname: 'first_name',
  lastname: 'last_name',
  email: 'email',
  phone_no: 'mobile_phone',
  dob: 'birth_date',
  admit_date: 'admit_date',
  gender: 'sex',
  med_rec_no: 'medical_record_no',
  census: 'census',
  provider: 'primary_provider_id',
  location: 'location_id',
  flags: 'flags',
  do_not_sms: 'do_not_sms',
};
const ADDRESS: Record<string, string> = { address: 'address1', address2: 'address2', city: 'city', state: 'state', zip: 'zip' };

/** Further columns set with a column: a given value clears the flag that it was declined. */
const BESIDE: Record<string, (place: string) => string> = {
  email: (place) =>
    `, email_declined = email_declined AND ${place}::text IS NULL, last_email = CASE WHEN email IS DISTINCT FROM ${place} THEN coalesce(email, last_email) ELSE last_email END`,
  mobile_phone: (place) => `, mobile_phone_declined = mobile_phone_declined AND ${place}::text IS NULL`,
};

const statements = new Map<string, { name: string; text: string }>();

/** Each combination of columns has its own statement, planned once a connection. */
function findUpdate(columns: string[]): { name: string; text: string } {
  const name = `update_${columns.join()}`;
  const known = statements.get(name);
  if (known) return known;
  const settings = columns.map((column, index) => `${column} = $${index + 3}${BESIDE[column]?.(`$${index + 3}`) ?? ''}`);
  const made = {
    name: `update_${statements.size}`,
    text: `UPDATE patient p SET ${settings.join(', ')}, updated_at = now() WHERE organization_id = $1 AND id = $2 AND status <> 'deleted'
           RETURNING id, first_name, last_name, address1, address2, city, state, zip, email, mobile_phone, birth_date::text, admit_date::text, sex,
                     medical_record_no, census, primary_provider_id, location_id, flags, do_not_sms, preferred_name, language_code,
                     contact_preference, deceased_date::text, guardian_first_name, guardian_middle_name, guardian_last_name, guardian_suffix,
                     (SELECT to_json(g) FROM (SELECT guardian_patient_id, guardian_contact_id, relationship FROM guardianship
                                               WHERE organization_id = p.organization_id AND patient_id = p.id) g) AS guardianship`,
  };
  statements.set(name, made);
  return made;
}

type Sent = Record<string, unknown> & { address?: Record<string, unknown> };

/** Column and value of all that was sent. */
function sentColumns({ address, ...rest }: Sent): [string, unknown][] {
  const named = (values: Record<string, unknown>, columns: Record<string, string>) =>
    Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
      const column = columns[name];
      return column === undefined ? [] : [[column, name === 'phone_no' ? toE164(value) : value]];
    });
  return [...named(address ?? {}, ADDRESS), ...named(rest, FIELDS)];
}

const toE164 = (digits: unknown) => (typeof digits === 'string' ? `+1${digits}` : null);
const isoDay = (day: Form[string]) => (typeof day === 'string' ? `${day.slice(6)}-${day.slice(0, 2)}-${day.slice(3, 5)}` : null);

export function writeRoutes(app: FastifyInstance, pool: pg.Pool): void {
  app.addContentTypeParser<string>('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, parse(body));
  });

  app.post<{ Body: Form }>('/v1/:practiceid/patients', async ({ claims, body: form }, reply) => {
    const {
      firstname,
      lastname,
      dob,
      sex,
      address1,
      address2,
      city,
      state,
      zip,
      email,
      homephone,
      mobilephone,
      race = [],
      departmentid,
    } = form;
    const phones = [toE164(homephone), toE164(mobilephone)];
    const person = [
      claims.org,
      firstname,
      lastname,
      isoDay(dob),
      String(zip).slice(0, 5),
      email ?? null,
      phones.filter((phone) => phone !== null),
    ];
    const [same, possible] = await Promise.all([
      pool.query<{ id: number }>({ ...SAME_PERSON, values: person }),
      pool.query<{ id: number; score: number; reason: string }>({ ...POSSIBLE_MATCHES, values: [...person, [], false, 5] }),
    ]);
    reply.type('application/json; charset=utf-8').header('registration', same.rows[0] ? 'matched' : 'created');
    if (same.rows[0]) return reply.send(JSON.stringify([{ patientid: same.rows[0].id }]));
    const matches = possible.rows.map(({ id, score, reason }) => `${id};score=${score};reason="${reason}"`);
    if (matches.length > 0) reply.header('possible-matches', matches.join(', '));
    const reach = [address1, address2, city, state, zip, email, ...phones];
    const values = [claims.org, firstname, lastname, isoDay(dob), sex, ...reach, [race].flat(), departmentid];
    const { rows } = await pool.query<{ id: number }>({ ...REGISTER, values });
    return reply.send(JSON.stringify([{ patientid: rows[0]?.id }]));
  });

  app.put<{ Params: { uuid: string }; Body: Sent }>('/api/patients/:uuid', async ({ claims, params, body }, reply) => {
    const sent = sentColumns(body);
    const statement = findUpdate(sent.map(([column]) => column));
    const values = [claims.org, Number(params.uuid), ...sent.map(([, value]) => value)];
    const { rows } = await pool.query<Row>({ ...statement, values });
    if (!rows[0]) return reply.code(404).send();
    return reply.type('application/json; charset=utf-8').send(JSON.stringify({ data: writePatient(rows[0]) }));
  });
}

type Row = Record<string, string | number | boolean | string[] | null> & { mobile_phone: string | null };

function writePatient(row: Row) {
  const phone = row.mobile_phone;
  return {
    uuid: row.id,
    user_uuid: null,
    firstname: row.first_name,
    lastname: row.last_name,
    address: { address: row.address1, address2: row.address2, city: row.city, state: row.state, zip: row.zip },
    email: row.email,
    phone_no: phone?.startsWith('+1') && phone.length === 12 ? phone.slice(2) : phone,
    dob: row.birth_date,
    admit_date: row.admit_date,
    gender: row.sex,
    med_rec_no: row.medical_record_no,
    census: row.census,
    provider: row.primary_provider_id,
    location: row.location_id,
    flags: row.flags,
    do_not_sms: row.do_not_sms ? '1' : '0',
    preferred_name: row.preferred_name,
    language: row.language_code,
    contact_preference: row.contact_preference,
    deceased_date: row.deceased_date,
    guardian: toGuardian(row),
  };
}

function toGuardian(row: Row) {
  const [firstname, middlename, lastname, suffix] = [
    row.guardian_first_name,
    row.guardian_middle_name,
    row.guardian_last_name,
    row.guardian_suffix,
  ];
  const named = row.guardianship ?? {};
  const { guardian_patient_id: patient_uuid = null, guardian_contact_id: contact_uuid = null, relationship = null }: Row = Object(named);
  const shown = { firstname, middlename, lastname, suffix, patient_uuid, contact_uuid, relationship };
  return Object.values(shown).some((value) => value !== null) ? shown : null;
}
