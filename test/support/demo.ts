import { type DemoPractice, seedDemo } from '../../prisma/seed/demo.ts';
import { keepDemoMedia } from '../../prisma/seed/session-media.ts';
import { hashSecret, newSecret } from '../../src/domain/identity/secrets.ts';
import { createLocalFiles } from '../../src/gateways/files/local-files.ts';
import type { TestApp } from './app.ts';

/** Puts the demo practices into the database of a server, with their sign-ins and their files. */
export async function fillDemo({ database, keyring, config }: TestApp, now = new Date()): Promise<DemoPractice[]> {
  const practices = await seedDemo(database.prisma, { now, keyring, hash: hashSecret, randomSecret: newSecret });
  const store = { db: database.prisma, files: createLocalFiles(`${config.DATA_DIR}/files`) };
  for (const { practiceid } of practices) await keepDemoMedia(database, store, practiceid);
  return practices;
}

function only<T>(list: readonly T[], matches: (one: T) => boolean): T {
  const one = list.find(matches);
  if (one === undefined) throw new Error('the demo lacks somebody');
  return one;
}

/** The sign-in of a demo practice's user. @throws where there is none of the role */
export const findUser = ({ users }: DemoPractice, role: string) => only(users, (user) => user.role === role);

/** A token of a demo practice's API client. */
export async function demoClientToken({ http }: TestApp, { clients }: DemoPractice, api: 'integration' | 'practice'): Promise<string> {
  const { client_id, client_secret } = only(clients, (client) => client.api === api);
  const asked = http.post('/oauth2/v1/token').type('form').send({ grant_type: 'client_credentials', client_id, client_secret });
  return String((await asked.expect(200)).body.access_token);
}

/** A token of a demo practice's user. */
export async function demoUserToken({ http }: TestApp, practice: DemoPractice, role: string): Promise<string> {
  const { email, password } = findUser(practice, role);
  return String((await http.post('/login').send({ email, password }).expect(200)).body.data.access_token);
}
