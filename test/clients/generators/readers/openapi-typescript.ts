import createClient from 'openapi-fetch';
import type { paths as IntegrationPaths } from './openapi-typescript/integration';
import type { paths as MobilePaths } from './openapi-typescript/mobile';
import type { paths as PracticePaths } from './openapi-typescript/practice';
import { bearer, present, type Reader, readAll } from './reader';

export const read: Reader = async ({ address: baseUrl, practiceId: practiceid, tokens, patientIds }) => {
  const integration = createClient<IntegrationPaths>({ baseUrl, headers: bearer(tokens.integration) });
  const practice = createClient<PracticePaths>({ baseUrl, headers: bearer(tokens.practice) });
  const mobile = createClient<MobilePaths>({ baseUrl, headers: bearer(tokens.mobile) });
  return {
    integration: await readAll(patientIds, async (uuid) => {
      const { data } = await integration.GET('/api/patients/{uuid}', { params: { path: { uuid } } });
      return present(data?.data.lastname, 'lastname');
    }),
    practice: await readAll(patientIds, async (patientId) => {
      const path = { apivariant: 'v1', practiceid, patientId } as const;
      const { data } = await practice.GET('/{apivariant}/{practiceid}/patients/{patientId}', { params: { path } });
      return present(data?.[0]?.lastname, 'lastname');
    }),
    mobile: await readAll(patientIds, async (uuid) => {
      const { data } = await mobile.GET('/patients/{uuid}', { params: { path: { uuid } } });
      return present(data?.data.lastname, 'lastname');
    }),
  };
};
