import { getPatientById } from './orval/integration';
import { getPatient as getMobilePatient } from './orval/mobile';
import { getPatient } from './orval/practice';
import { bearer, present, type Reader, readAll } from './reader';

/** Its clients fetch addresses without a host. */
function fetchFrom(address: string): void {
  const inner = globalThis.fetch;
  globalThis.fetch = (input, init) => inner(typeof input === 'string' ? new URL(input, address) : input, init);
}

export const read: Reader = async ({ address, practiceId, tokens, patientIds }) => {
  fetchFrom(address);
  return {
    integration: await readAll(patientIds, async (uuid) => {
      const answer = await getPatientById(uuid, { headers: bearer(tokens.integration) });
      if (answer.status !== 200) throw new Error(`chart ${uuid}: ${answer.status}`);
      return present(answer.data.data.lastname, 'lastname');
    }),
    practice: await readAll(patientIds, async (patientId) => {
      const answer = await getPatient('v1', practiceId, patientId, {}, { headers: bearer(tokens.practice) });
      if (answer.status !== 200) throw new Error(`chart ${patientId}: ${answer.status}`);
      return present(answer.data[0]?.lastname, 'lastname');
    }),
    mobile: await readAll(patientIds, async (uuid) => {
      const answer = await getMobilePatient(uuid, { headers: bearer(tokens.mobile) });
      if (answer.status !== 200) throw new Error(`chart ${uuid}: ${answer.status}`);
      return present(answer.data.data.lastname, 'lastname');
    }),
  };
};
