import { describe, expect, it } from 'vitest';
import { setClientActive } from '../../../src/domain/identity/clients/clients.ts';
import { actorWith, clientToken, practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOrganization } from '../../support/factories.ts';

const test = await sharedTestApp();

const rows = () => test.database.prisma;

/** A practice system that was granted these practices, and what it is told at the address of one. */
async function granted(organizationIds: number[]) {
  const { token, clientId } = await clientToken(test, ['practice.read'], organizationIds);
  const ask = async (practiceId: number, query = '') => {
    const answer = await actorWith(test, token, practiceId).get(`/v1/${practiceId}/practiceinfo${query}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  return { ask, token, clientId };
}

async function practices(count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let made = 0; made < count; made += 1) ids.push((await createOrganization(rows())).id);
  return ids;
}

interface Listed {
  totalcount: number;
  next?: string;
  practiceinfo: { practiceid: string }[];
}

const idsIn = ({ practiceinfo }: Listed) => practiceinfo.map(({ practiceid }) => Number(practiceid));

describe('the information on a practice', () => {
  it('has every field of the document', async () => {
    const clinic = await practiceClient(test, {
      organization: {
        name: 'Núñez & Daughters',
        goLiveDate: new Date('2019-03-04'),
        experienceMode: 'STANDARD',
        isCoordinatorSender: true,
        isCoordinatorReceiver: true,
        hasClinicals: true,
        hasCommunicator: true,
        hasCollector: true,
      },
    });
    const answer = await clinic.get('/practiceinfo');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      totalcount: 1,
      practiceinfo: [
        {
          practiceid: String(clinic.organizationId),
          name: 'Núñez & Daughters',
          golivedate: '03/04/2019',
          experiencemode: 'STANDARD',
          iscoordinatorsender: true,
          iscoordinatorreceiver: true,
          hasclinicals: true,
          hascommunicator: true,
          hascollector: true,
        },
      ],
    });
  });

  it.each([
    ['iscoordinatorsender', { isCoordinatorSender: true }],
    ['iscoordinatorreceiver', { isCoordinatorReceiver: true }],
    ['hasclinicals', { hasClinicals: true }],
    ['hascommunicator', { hasCommunicator: true }],
    ['hascollector', { hasCollector: true }],
  ])('says %s where that alone is so', async (field, organization) => {
    const clinic = await practiceClient(test, { organization: { hasClinicals: false, ...organization } });
    const [information] = (await clinic.get('/practiceinfo')).body.practiceinfo;
    expect(Object.keys(information).filter((name) => information[name] === true)).toEqual([field]);
  });

  it('leaves out what has no value', async () => {
    const clinic = await practiceClient(test);
    const [information] = (await clinic.get('/practiceinfo')).body.practiceinfo;
    expect(information).not.toHaveProperty('golivedate');
    expect(information).not.toHaveProperty('experiencemode');
  });
});

describe('the list of practices', () => {
  it('holds those that the client was granted, by id, whichever of them stands in the path', async () => {
    const ids = await practices(3);
    const { ask } = await granted([...ids].reverse());
    for (const id of ids) {
      const body = await ask(id);
      expect(idsIn(body)).toEqual(ids);
      expect(body.totalcount).toBe(3);
    }
  });

  it('holds no practice of another client, and tells of none by its count', async () => {
    const [own = 0, other = 0] = await practices(2);
    const { ask } = await granted([own]);
    await granted([own, other]);
    await practiceClient(test, { organizationId: other });
    const body = await ask(own);
    expect(idsIn(body)).toEqual([own]);
    expect(body.totalcount).toBe(1);
  });

  it('leaves out a practice that an operator has closed', async () => {
    const [open = 0, closed = 0] = await practices(2);
    await rows().organization.update({ where: { id: closed }, data: { active: false } });
    const body = await (await granted([open, closed])).ask(open);
    expect(idsIn(body)).toEqual([open]);
    expect(body.totalcount).toBe(1);
  });

  it('comes in pages, and next leads through all of them', async () => {
    const ids = await practices(5);
    const { ask, token } = await granted(ids);
    const [first = 0] = ids;
    const seen: number[][] = [];
    let path: string | undefined = `/v1/${first}/practiceinfo?limit=2`;
    while (path && seen.length < 9) {
      const answer: { body: Listed } = await actorWith(test, token, first).get(path).expect(200);
      expect(answer.body.totalcount).toBe(5);
      seen.push(idsIn(answer.body));
      path = answer.body.next;
    }
    expect(seen).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect(idsIn(await ask(first, '?offset=3&limit=1'))).toEqual([ids[3]]);
    expect(await ask(first, '?offset=5')).toEqual({ totalcount: 5, practiceinfo: [], previous: expect.stringContaining('offset=0') });
  });

  it.each([
    ['limit', '0'],
    ['limit', '-1'],
    ['limit', '5001'],
    ['limit', 'ten'],
    ['offset', '-1'],
    ['offset', '1.5'],
  ])('refuses the %s %s and names it', async (field, value) => {
    const clinic = await practiceClient(test);
    const answer = await clinic.get(`/practiceinfo?${field}=${value}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: 'The data provided is invalid.', invalidfields: [field] });
  });

  it('is told to nobody once the client is switched off', async () => {
    const [id = 0] = await practices(1);
    const { token, clientId } = await granted([id]);
    await setClientActive(rows(), clientId, false);
    await actorWith(test, token, id).get(`/v1/${id}/practiceinfo`).expect(401);
  });
});
