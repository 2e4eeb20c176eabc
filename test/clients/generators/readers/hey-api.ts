import { client as integration } from './hey-api/integration/client.gen';
import { getPatientById } from './hey-api/integration/sdk.gen';
import { client as mobile } from './hey-api/mobile/client.gen';
import { getPatient as getMobilePatient } from './hey-api/mobile/sdk.gen';
import { client as practice } from './hey-api/practice/client.gen';
import { getPatient } from './hey-api/practice/sdk.gen';
import { present, type Reader, readAll } from './reader';

export const read: Reader = async ({ address: baseUrl, practiceId: practiceid, tokens, patientIds }) => {
  integration.setConfig({ baseUrl, auth: tokens.integration, throwOnError: true });
  practice.setConfig({ baseUrl, auth: tokens.practice, throwOnError: true });
  mobile.setConfig({ baseUrl, auth: tokens.mobile, throwOnError: true });
  return {
    integration: await readAll(patientIds, async (uuid) =>
      present((await getPatientById({ path: { uuid } })).data?.data.lastname, 'lastname'),
    ),
    practice: await readAll(patientIds, async (patientId) => {
      const { data } = await getPatient({ path: { apivariant: 'v1', practiceid, patientId } });
      return present(data?.[0]?.lastname, 'lastname');
    }),
    mobile: await readAll(patientIds, async (uuid) =>
      present((await getMobilePatient({ path: { uuid } })).data?.data.lastname, 'lastname'),
    ),
  };
};
