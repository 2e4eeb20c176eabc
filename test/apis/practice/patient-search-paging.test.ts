import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { ownTestApp } from '../../support/app.ts';
import { createOffice, createPatient } from '../../support/factories.ts';
import { createManyPatients } from '../../support/many-patients.ts';

const test = await ownTestApp();

type Clinic = Awaited<ReturnType<typeof practiceClient>>;
interface Person {
  firstName: string | null;
  lastName: string | null;
  primaryOfficeId: number | null;
}
interface Listed {
  totalcount: number;
  next?: string;
  previous?: string;
  patients: { patientid: string }[];
}

async function add({ organizationId }: Clinic, person: Partial<Person>): Promise<string> {
  const { id } = await createPatient(test.database.prisma, { organizationId, ...person });
  return String(id);
}

const remove = ({ organizationId }: Clinic, id: string | undefined) =>
  test.database.prisma.patient.update({ where: { organizationId_id: { organizationId, id: Number(id) } }, data: { status: 'deleted' } });

/** Follows an address as it is written in an answer. */
async function follow({ token }: Clinic, link: string): Promise<Listed> {
  const answer = await test.http.get(link).set('authorization', `Bearer ${token}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

const listPatients = (clinic: Clinic, query: string) => follow(clinic, `/v1/${clinic.organizationId}/patients?${query}`);
const listIds = ({ patients }: Listed) => patients.map(({ patientid }) => patientid);

/** A clinic with patients Page A, Page B … and their ids. */
async function clinicWith(lastNames: string[]) {
  const clinic = await practiceClient(test);
  const ids: string[] = [];
  for (const lastName of lastNames) ids.push(await add(clinic, { firstName: 'Pat', lastName }));
  return { clinic, ids };
}

describe('pages', () => {
  it('are as long as was asked for, from the offset that was asked for, and the last has no next', async () => {
    const { clinic, ids } = await clinicWith(['Page A', 'Page B', 'Page C', 'Page D']);
    const pages = [
      await listPatients(clinic, 'lastname=page&limit=2'),
      await listPatients(clinic, 'lastname=page&limit=2&offset=1'),
      await listPatients(clinic, 'lastname=page&limit=2&offset=2'),
      await listPatients(clinic, 'lastname=page&offset=3'),
      await listPatients(clinic, 'lastname=page&offset=4'),
    ];
    expect(pages.map(listIds)).toEqual([ids.slice(0, 2), ids.slice(1, 3), ids.slice(2), ids.slice(3), []]);
    expect(pages.map(({ totalcount }) => totalcount)).toEqual([4, 4, 4, 4, 4]);
    expect(pages.map(({ next }) => next !== undefined)).toEqual([true, true, false, false, false]);
  });

  it('are linked from the root of the server, with every parameter of the request, in the variant that was called', async () => {
    const { clinic, ids } = await clinicWith(['Ünïque & Co', 'Unique Two', 'Unique Three']);
    const query = 'lastname=%C3%9Cn%C3%AFque&firstname=p&departmentid=&limit=1&offset=1&showother=a%26b';
    const { next } = await follow(clinic, `/preview1/${clinic.organizationId}/patients?${query}`);
    const link = new URL(next ?? '', 'http://here');
    expect(next).toMatch(/^\//);
    expect(link.pathname).toBe(`/preview1/${clinic.organizationId}/patients`);
    expect(Object.fromEntries(link.searchParams)).toEqual({
      lastname: 'Ünïque',
      firstname: 'p',
      departmentid: '',
      limit: '1',
      offset: '2',
      showother: 'a&b',
      after: expect.any(String),
    });
    expect(listIds(await follow(clinic, next ?? ''))).toEqual([ids[1]]);
  });

  it('link the page before, with every parameter but the place of the page, and the first page has none', async () => {
    const { clinic, ids } = await clinicWith(['Back A', 'Back B', 'Back C', 'Back D', 'Back E']);
    const first = await listPatients(clinic, 'lastname=back&limit=2&show2015other=a%26b');
    expect(first).not.toHaveProperty('previous');
    const second = await follow(clinic, first.next ?? '');
    const third = await follow(clinic, second.next ?? '');
    expect(second.previous).toBe(`/v1/${clinic.organizationId}/patients?lastname=back&limit=2&show2015other=a%26b&offset=0`);
    expect([await follow(clinic, third.previous ?? ''), await follow(clinic, second.previous ?? '')].map(listIds)).toEqual([
      ids.slice(2, 4),
      ids.slice(0, 2),
    ]);
    expect((await listPatients(clinic, 'lastname=back&limit=2&offset=1')).previous).toContain('offset=0');
    expect(listIds(await follow(clinic, (await listPatients(clinic, 'lastname=back&limit=2&offset=90')).previous ?? ''))).toEqual(
      ids.slice(3),
    );
  });

  it('hold 1,500 rows unless said, and 5,000 at most', async () => {
    const clinic = await practiceClient(test);
    await createManyPatients(test.databaseUrl, clinic.organizationId, 5_001);
    const first = await listPatients(clinic, '');
    expect(first.patients).toHaveLength(1_500);
    expect((await follow(clinic, first.next ?? '')).patients).toHaveLength(1_500);
    const whole = await listPatients(clinic, 'limit=5000');
    expect(whole.patients).toHaveLength(5_000);
    expect((await follow(clinic, whole.next ?? '')).patients).toHaveLength(1);
  });

  it('neither repeat nor skip when others come and go before them', async () => {
    const { clinic, ids } = await clinicWith(['Page C', 'Page D', 'Page E', 'Page F']);
    const first = await listPatients(clinic, 'lastname=page&limit=2');
    await add(clinic, { lastName: 'Page A' });
    await add(clinic, { lastName: 'Page B' });
    const second = await follow(clinic, first.next ?? '');
    expect(listIds(second)).toEqual(ids.slice(2));
    await remove(clinic, ids[0]);
    expect(listIds(await follow(clinic, first.next ?? ''))).toEqual(ids.slice(2));
  });

  it('go on where they were when the last patient of the page before is gone', async () => {
    const { clinic, ids } = await clinicWith(['Page A', 'Page B', 'Page C', 'Page D']);
    const { next = '' } = await listPatients(clinic, 'lastname=page&limit=2');
    await remove(clinic, ids[1]);
    expect(listIds(await follow(clinic, next))).toEqual(ids.slice(2));
  });
});

/** Few letters, so that names meet; words, so that one patient has several keys. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'á', 'B'), minLength: 0, maxLength: 3 });
const lastName = fc.option(
  fc.tuple(word, fc.constantFrom(' ', '-', "'"), word, fc.constantFrom(' ', '-'), word).map((parts) => parts.join('')),
  { freq: 8 },
);
const person = fc.record({ firstName: fc.option(word, { freq: 8 }), lastName, office: fc.nat({ max: 2 }) });
const query = fc.record({
  lastname: fc.constantFrom('', 'a', 'b', 'ab', 'A'),
  firstname: fc.constantFrom('', 'a', 'B', 'ba'),
  office: fc.nat({ max: 2 }),
});

/** In lower case, without accents. */
const folded = (text: string | null) =>
  (text ?? '')
    .normalize('NFD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase();

const joined = (name: string) => name.replaceAll(/[\s'-]/g, '');

/** The rule of the contract, written plainly: the start of the name, or of a word in it, however its parts are joined. */
function answersTo(last: string | null, prefix: string): boolean {
  const name = folded(last);
  const starts = [...name]
    .map((_, at) => at)
    .filter((at) => at === 0 || (/[\s'-]/.test(name[at - 1] ?? '') && !/[\s'-]/.test(name[at] ?? '')));
  return prefix === '' || starts.some((at) => joined(name.slice(at)).startsWith(joined(folded(prefix))));
}

describe('walking through the pages', () => {
  it('sees each patient who stood there at the start exactly once, while others are added before and after', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(person, { minLength: 1, maxLength: 12 }),
        fc.array(person, { maxLength: 6 }),
        query,
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
        async (standing, coming, { lastname, firstname, office }, limits) => {
          const clinic = await practiceClient(test);
          const { organizationId } = clinic;
          const offices = [
            null,
            (await createOffice(test.database.prisma, { organizationId })).id,
            (await createOffice(test.database.prisma, { organizationId })).id,
          ];
          const toRow = ({ office: at, ...names }: (typeof standing)[number]) => ({ ...names, primaryOfficeId: offices[at] ?? null });
          const wanted = new Set<string>();
          for (const one of standing) {
            const id = await add(clinic, toRow(one));
            // Who has one name is found by it in either parameter.
            const [last, first] = [one.lastName ?? one.firstName, one.firstName ?? one.lastName];
            const matches = answersTo(last, lastname) && joined(folded(first)).startsWith(folded(firstname));
            if (matches && (office === 0 || one.office === office)) wanted.add(id);
          }
          const arrivals = [...coming];
          const seen: string[] = [];
          let link: string | undefined =
            `/v1/${organizationId}/patients?lastname=${lastname}&firstname=${firstname}&departmentid=${offices[office] ?? ''}`;
          for (let step = 0; link !== undefined; step += 1) {
            const url = new URL(link, 'http://here');
            url.searchParams.set('limit', String(limits[step % limits.length]));
            const page = await follow(clinic, `${url.pathname}${url.search}`);
            if (step === 0) expect(page.totalcount).toBe(wanted.size);
            seen.push(...listIds(page));
            const arrival = arrivals.pop();
            if (arrival) await add(clinic, toRow(arrival));
            link = page.next;
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.filter((id) => wanted.has(id)).toSorted()).toEqual([...wanted].toSorted());
        },
      ),
      { numRuns: 25 },
    );
  }, 60_000);
});
