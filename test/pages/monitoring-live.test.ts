import { expect, it } from 'vitest';
import { createItem } from '../apis/mobile/monitoring/care.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await sharedTestApp();
const prisma = test.database.prisma;
const { http, browse } = staffPages(test);

/** The words of a page, without its markup. */
const keepWords = (page: string) => page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
const readPage = async (path: string, headers: Record<string, string>) => (await http.get(path).set(headers).expect(200)).text;

it('monitoring that is left open is sent anew when an alert comes, and not before; the lobby and a patient’s page say how many are open', async () => {
  const practice = await createOrganization(prisma, { name: 'Open Clinic' });
  const person = await signedInUser(test, { organizationId: practice.id });
  const headers = await browse(person);
  const item = await createItem(prisma, { organizationId: practice.id, dangerMax: 180 });
  const patient = await createPatient(prisma, { organizationId: practice.id, firstName: 'Ida', lastName: 'Open' });
  const page = await readPage('/monitoring', headers);
  expect(page).toContain('src="/assets/');
  const [, address = '', version = ''] = /data-address="([^"]+)" data-version="([^"]+)" data-open="0"/.exec(page) ?? [];
  const ask = (path: string, known: string) => http.get(path.replaceAll('&#38;', '&')).set({ ...headers, 'if-none-match': `"${known}"` });
  await ask(address, version).expect(304);
  expect(keepWords(await readPage('/lobby', headers))).toContain('No alert is open');
  const reading = { patient_uuid: patient.id, item_uuid: item.id, value: 210, unit: 'mmHg', measured_at: new Date().toISOString() };
  await person.post('/remote-patient-monitoring/readings').send(reading).expect(201);
  const fresh = await ask(address, version).expect(200);
  expect(fresh.text).toMatch(/data-open="1"/);
  expect(fresh.text).toContain('Open');
  await ask(address, String(fresh.headers.etag).replaceAll('"', '')).expect(304);
  expect(keepWords(await readPage('/lobby', headers))).toContain('1 alert is open');
  expect(keepWords(await readPage(`/monitoring/patients/${patient.id}`, headers))).toContain('1 alert is open');
});
