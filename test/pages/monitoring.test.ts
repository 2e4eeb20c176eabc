import { describe, expect, it } from 'vitest';
import { createItem } from '../apis/mobile/monitoring/care.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await sharedTestApp();
const prisma = test.database.prisma;
const { id: organizationId } = await createOrganization(prisma, { name: 'Harbor Clinic', timeZone: 'America/New_York' });
const nurse = await signedInUser(test, { organizationId, type: 'provider', user: { firstName: 'Nora', lastName: 'Nurse' } });
const { http, send, browse } = staffPages(test);
const staff = await browse(nurse);
const pressure = await createItem(prisma, { organizationId, name: 'Systolic blood pressure', dangerMax: 180 });

const pageOf = async (path: string, headers = staff) => (await http.get(path).set(headers).expect(200)).text;
/** The words of a page, without its markup. */
const wordsOf = (page: string) =>
  page
    .replaceAll(/<(style|script)[^>]*>.*?<\/\1>/gs, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/\s+/g, ' ');

const DAY_MS = 86_400_000;
async function measure(patientId: number, values: readonly number[]) {
  await prisma.reading.createMany({
    data: values.map((value, index) => {
      const measuredAt = new Date(Date.now() - (values.length - index) * DAY_MS);
      return { organizationId, patientId, itemId: pressure.id, value, source: 'staff', measuredAt, measuredOn: measuredAt };
    }),
  });
}

describe('signing in to a page that was asked for', () => {
  it('returns to it, and to no other server', async () => {
    const path = '/monitoring/patients/7/charts/2?days=30';
    const asked = await http.get(path).redirects(0).expect(303);
    const address = String(asked.headers.location);
    expect(address).toBe(`/sign-in?to=${encodeURIComponent(path)}`);
    expect((await http.get(address).expect(200)).text).toContain('name="to" value="/monitoring/patients/7/charts/2?days');
    const { email, password } = nurse;
    const signedIn = async (to: string) => (await send('/sign-in', { email, password, to }).expect(303)).headers.location;
    expect(await signedIn(path)).toBe(path);
    for (const foreign of [
      '//evil.example',
      'https://evil.example/monitoring',
      '/monitoring@evil.example',
      '/monitoring//evil.example',
      '/sign-out',
    ])
      expect(await signedIn(foreign), foreign).toBe('/lobby');
  });
});

describe('the page of a chart', () => {
  it('has the chart, the same in a table, and links to other ranges', async () => {
    const patient = await createPatient(prisma, { organizationId, firstName: 'Rosa', lastName: 'Diaz' });
    await measure(patient.id, [118, 150, 185]);
    const page = await pageOf(`/monitoring/patients/${patient.id}/charts/${pressure.id}`);
    expect(page.match(/<svg [^>]*role="img"/g)).toHaveLength(2);
    const words = wordsOf(page);
    expect(words).toContain('Rosa Diaz');
    expect(words).toMatch(/3 readings, .* Out of target: 2, of them in danger: 1\. Target: 90 to 140 mmHg\. Danger: 180 mmHg or more\./);
    expect(words).toMatch(/185 mmHg danger staff .* 150 mmHg above target staff .* 118 mmHg within staff/);
    expect(page).toContain('?days=365"');
    expect(await pageOf(`/monitoring/patients/${patient.id}/charts/${pressure.id}?days=3`)).toContain('>2 readings, ');
  });

  it('is not that of another practice, nor of a restricted chart', async () => {
    const stranger = await browse(await signedInUser(test));
    const patient = await createPatient(prisma, { organizationId, firstName: 'Vera', lastName: 'Hidden' });
    const path = `/monitoring/patients/${patient.id}/charts/${pressure.id}`;
    await http.get(path).set(stranger).expect(404);
    await prisma.privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
    expect((await http.get(path).set(staff).expect(404)).text).not.toContain('Vera');
  });
});
