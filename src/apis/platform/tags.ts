/** A description of each tag's operations. */
export const PLATFORM_TAGS = {
  Users: 'The people who sign in: their roles, sessions and locks',
  Clients: 'The applications that call the APIs for the practice',
  Requests: 'What API clients asked for in the last seven days, and why it failed',
  'Break-glass': 'Restricted charts opened in an emergency, with a reason',
  Restrictions: 'Charts that are restricted or blocked, which privacy officers decide',
  Patients: 'Charts of one person that the practice has twice',
  Appointments: 'Visits of providers who leave, and at offices that close',
  Policies: 'The rules of signing in that the practice has set',
  Events: 'What changed in the practice, in order, for programs that follow it',
  Exports: 'All records of a kind in one answer, for programs that keep copies',
  Imports: 'Records of another system, from files of any number of rows',
  Webhooks: 'Addresses to which changes are delivered, and what became of each delivery',
  Audit: 'Who read or changed what, and whether nothing of that was changed',
  'Single sign-on': 'The identity provider of the practice (OpenID Connect)',
};
