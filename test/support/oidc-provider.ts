import { createServer, type RequestListener } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';

/** A person whom the provider knows, by the name with which they sign in there, which is their subject too. */
export interface ExternalUser {
  email?: string;
  emailVerified?: boolean;
  givenName?: string;
  familyName?: string;
  groups?: string[];
}

export const OIDC_SECRET = 'a secret: of 32 + 1 characters, & so';

interface ProviderOptions {
  /** Addresses to which the provider sends browsers back: those of the practices. */
  redirectUris: string[];
  clientId?: string;
  users: Record<string, ExternalUser>;
  backChannelLogoutUri?: string;
  postLogoutUris?: string[];
  /** Of its address. Under `localhost` it is another site than a server at 127.0.0.1, as browsers see it. */
  hostname?: '127.0.0.1' | 'localhost';
}

/** A real identity provider on a free port of this machine. Its pages for signing in take any password. */
export async function startOidcProvider({ clientId = 'triptych', hostname = '127.0.0.1', ...options }: ProviderOptions) {
  let serve: RequestListener = () => {};
  const server = createServer((request, response) => serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = server.address();
  const issuer = `http://${hostname}:${typeof at === 'object' && at ? at.port : 0}`;
  const users = new Map(Object.entries(options.users));

  /** Also takes new keys: what the former ones have signed is valid no more. */
  async function start(): Promise<void> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: crypto.randomUUID() };
    const provider = new Provider(issuer, createConfiguration(key, { ...options, clientId }, users));
    serve = provider.callback();
  }
  await start();
  return {
    issuer,
    clientId,
    users,
    takeNewKeys: start,
    browser: () => createBrowser(issuer),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createConfiguration(
  key: object,
  { clientId, redirectUris, backChannelLogoutUri, postLogoutUris = [] }: ProviderOptions & { clientId: string },
  users: Map<string, ExternalUser>,
): Configuration {
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: OIDC_SECRET,
        redirect_uris: redirectUris,
        post_logout_redirect_uris: postLogoutUris,
        ...(backChannelLogoutUri === undefined
          ? {}
          : { backchannel_logout_uri: backChannelLogoutUri, backchannel_logout_session_required: true }),
      },
    ],
    // All that would have a notice where it is left out.
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    jwks: { keys: [key] },
    // Without the provider's own guard, which refuses this machine.
    fetch: (url, { method = 'GET', headers = {}, body = null } = {}) => fetch(url, { method, headers, body }),
    cookies: { keys: ['a key of a test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name', 'groups'] },
    features: { backchannelLogout: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    findAccount: (_context, subject) => {
      const user = users.get(subject);
      return user && { accountId: subject, claims: () => ({ sub: subject, ...toClaims(user) }) };
    },
    // Nobody is asked whether the client may know of them, as at a provider of one organization.
    async loadExistingGrant(context) {
      const { provider, client, session, params } = context.oidc;
      const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: client?.clientId ?? '' });
      grant.addOIDCScope(String(params?.scope ?? 'openid'));
      await grant.save();
      return grant;
    },
  };
}

const toClaims = ({ email, emailVerified = true, givenName, familyName, groups }: ExternalUser) => ({
  ...(email === undefined ? {} : { email, email_verified: emailVerified }),
  given_name: givenName,
  family_name: familyName,
  groups,
});

/** A browser at the provider, with its cookies. */
function createBrowser(issuer: string) {
  const cookies = new Map<string, string>();

  async function open(address: string, form?: Record<string, string>): Promise<Response> {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', ...value] = pair.split('=');
      cookies.set(name, value.join('='));
    }
    return response;
  }

  return {
    open,
    /**
     * Goes to the provider, signs in there where it asks, and comes back.
     * @returns the address to which it sends the browser
     */
    async signIn(address: string, user: string): Promise<string> {
      let at = address;
      for (let step = 0; step < 10 && at.startsWith(issuer); step += 1) {
        const page = await open(at);
        const response = page.status === 200 ? await open(at, { prompt: 'login', login: user, password: 'any' }) : page;
        const location = response.headers.get('location');
        if (location === null) throw new Error(`the provider answers ${response.status}: ${await response.text()}`);
        at = new URL(location, at).href;
      }
      return at;
    },
    /** Signs out at the provider by its page. @returns where it sends the browser */
    async signOut(address: string): Promise<string | null> {
      const page = await (await open(address)).text();
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
      const response = await open(`${issuer}/session/end/confirm`, { xsrf, logout: 'yes' });
      return response.headers.get('location');
    },
  };
}
