import { expect } from 'vitest';

/** Accounts of a demo practice, as `demo.json` has them. */
export interface Accounts {
  practiceid: number;
  users: { role: string; email: string; password: string }[];
  clients: { api: string; client_id: string; client_secret: string }[];
}

/** What `jq` would find: values of an answer by their path, such as `data.uuid`. */
function valueAt(answer: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => Object(value)[key], answer);
}

async function send(url: string, init: RequestInit = {}): Promise<unknown> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(20_000) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });

/** The README's way through the three dialects, for the accounts of one practice. */
export function walker(address: string, { practiceid, users, clients }: Accounts) {
  const clientToken = async (api: string) => {
    const { client_id = '', client_secret = '' } = clients.find((client) => client.api === api) ?? {};
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
    return String(valueAt(await send(`${address}/oauth2/v1/token`, { method: 'POST', body }), 'access_token'));
  };
  const userToken = async () => {
    const { email, password } = users.find(({ role }) => role === 'provider') ?? {};
    const body = JSON.stringify({ email, password });
    const headers = { 'content-type': 'application/json' };
    return String(valueAt(await send(`${address}/login`, { method: 'POST', headers, body }), 'data.access_token'));
  };

  return {
    /** Registers a patient and books an appointment as an integration; its id. */
    async book(record: string): Promise<number> {
      const headers = bearer(await clientToken('integration'));
      const patient = JSON.stringify({
        fname: 'Zoë',
        lname: 'de la Cruz',
        dob: '1980-02-29',
        phone_no: '919 555 0123',
        med_rec_no: record,
      });
      await send(`${address}/api/patients`, { method: 'POST', headers, body: patient });
      const chart = await send(`${address}/api/patients/mrn/${record}`, { headers });
      const appointment = { patient_id: valueAt(chart, 'data.uuid'), appointment_type_id: 1, appointment_date: '2027-03-13T09:30:00' };
      const booked = await send(`${address}/api/appointments`, { method: 'POST', headers, body: JSON.stringify(appointment) });
      return Number(valueAt(booked, 'data.uuid'));
    },
    /** Reads an appointment in the other two dialects, and expects that of `book`. */
    async expectAppointment(id: number): Promise<void> {
      const practice = await send(`${address}/v1/${practiceid}/appointments/${id}`, { headers: bearer(await clientToken('practice')) });
      expect([practice].flat()[0]).toMatchObject({ appointmentid: String(id), date: '03/13/2027', starttime: '09:30' });
      const mobile = await send(`${address}/appointments/${id}`, { headers: bearer(await userToken()) });
      expect(valueAt(mobile, 'data.patient.lastname')).toBe('de la Cruz');
    },
    /** Opens the page for people, and the reference. */
    async expectPages(): Promise<void> {
      for (const path of ['/', '/docs/', '/healthz', '/readyz']) {
        const answer = await fetch(`${address}${path}`);
        expect([path, answer.status]).toEqual([path, 200]);
        if (path === '/') expect(await answer.text()).toContain('Triptych');
      }
    },
  };
}
