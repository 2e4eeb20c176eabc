/** The addresses of this server that single sign-on of a practice uses. */
export interface SsoAddresses {
  signIn: string;
  /** The provider sends browsers back to it. Each practice has its own, so that no provider gets the codes of another. */
  callback: string;
  afterLogout: string;
  backChannelLogout: string;
}

/** @param origin of this server */
export const ssoAddresses = (origin: string, organizationId: number): SsoAddresses => ({
  signIn: `${origin}/sign-in/sso?practice=${organizationId}`,
  callback: `${origin}/sign-in/sso/callback/${organizationId}`,
  afterLogout: `${origin}/sign-in`,
  backChannelLogout: `${origin}/sign-in/sso/back-channel-logout/${organizationId}`,
});
