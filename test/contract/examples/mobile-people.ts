import { type Ask, readId, valueAt } from './recorder.ts';

/** The password that the provider has after the example of changing it. */
export const CHANGED_PASSWORD = 'seven quiet rivers below a lamp';

/** Signing in, and the people and places of a practice. */
export async function peopleExamples(ask: Ask, signIn: { email: string; password: string }): Promise<void> {
  const signedIn = await ask('login', { body: signIn });
  const renewed = await ask('refreshToken', { body: { token: valueAt(signedIn, 'data', 'refresh_token') } });
  await ask('logout', { token: String(valueAt(renewed, 'data', 'access_token')) });

  await ask('listSessions', { query: { limit: 1 } });
  await ask('login', { body: signIn });
  const sessions = await ask('listSessions', { query: { limit: 1 } });
  await ask('endSession', { path: { id: String(valueAt(sessions, 'data', '0', 'id')) } });
  await ask('endSessions', { query: { including_current: 0 } });
  await ask('sendPasswordLink', { body: { email: signIn.email } });
  await ask('changePassword', { body: { current_password: signIn.password, password: CHANGED_PASSWORD } });

  await ask('getClient');
  await ask('getCurrentUser');
  const organization = readId(await ask('listOrganizations', { query: { limit: 1 } }));
  await ask('getOrganization', { path: { organization } });
  await ask('getOffice', { path: { uuid: readId(await ask('listOffices', { query: { limit: 1 } })) } });
  await ask('listUsers', { query: { limit: 1 } });
  const user = readId(await ask('searchUsers', { query: { search: 'a', limit: 1 } }));
  await ask('getUser', { path: { uuid: user } });
  const providers = await ask('listProviders', { query: { sort: 'lastname', order: 'ASC', limit: 1 } });
  await ask('getProvider', { path: { provider: readId(providers) } });
  await ask('getProviderByIdentifier', { path: { npi: valueAt(providers, 'data', '0', 'npi') } });
  await ask('getPatient', { path: { uuid: readId(await ask('listPatients', { query: { lastname: 'a', limit: 1 } })) } });

  const person = { firstname: 'Ben', lastname: 'Example', dob: '1975-07-04', phone_no: '9195550190', language: 'spa' };
  const created = await ask('createPatient', { body: { ...person, guardian: { firstname: 'Ana', lastname: 'Example' } } });
  await ask('updatePatient', { path: { uuid: readId(created) }, body: { preferred_name: 'Benny', contact_preference: 'MOBILEPHONE' } });

  await ask('getUserReviewUrl', { path: { uuid: readId(await ask('listUserReviewUrls', { query: { limit: 1 } })) } });
}
