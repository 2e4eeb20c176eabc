import { createHmac } from 'node:crypto';

/** Longer than any visit. Each join issues new credentials. */
const CREDENTIAL_SECONDS = 12 * 3_600;

/** A user and a password, for somebody who asks a TURN server for a relay. */
export interface TurnCredentials {
  username: string;
  credential: string;
}

/**
 * Credentials for TURN: somebody and an end, signed with the secret that the TURN server shares (draft-uberti-behave-turn-rest), so the
 * TURN server needs no accounts.
 * @param user id of who asks
 * @param now milliseconds since 1970
 */
export function turnCredentials(secret: string, user: string, now = Date.now()): TurnCredentials {
  const username = `${Math.floor(now / 1000) + CREDENTIAL_SECONDS}:${user}`;
  return { username, credential: createHmac('sha1', secret).update(username).digest('base64') };
}
