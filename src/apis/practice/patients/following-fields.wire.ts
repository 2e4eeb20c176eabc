import { z } from 'zod';
import { alsoNamed } from '../../../http/input/query.ts';

/** A field that follows from others: a form may send it back as it is shown, before the change or after it. */
const follows = (from: string) =>
  z
    .unknown()
    .optional()
    .meta({ type: 'string', description: `Taken as it is shown: ${from}` });

/** The fields of the record that no form writes, and the source of each. */
export const FOLLOWING = {
  patientid: follows('the id in the path'),
  localpatientid: follows('ids of charts'),
  lastupdated: follows('the day of the last change'),
  lastemail: follows('the email before'),
  hasmobileyn: alsoNamed(follows('from mobilephone, which may be declined'), 'hasmobile'),
  emailexistsyn: alsoNamed(follows('from email, which may be declined'), 'emailexists'),
  maritalstatusname: follows('from maritalstatus'),
  racename: follows('from race'),
  racecode: follows('from race'),
  employername: follows('from employerid'),
  employeraddress: follows('from employerid'),
  employercity: follows('from employerid'),
  firstappointment: follows('from the appointments'),
  lastappointment: follows('from the appointments'),
  portalstatus: follows('from the accounts of the portal'),
  allpatientstatuses: follows('from status and departmentid'),
  balances: follows('from the accounts of the practice'),
  claims: follows('from the accounts of the practice'),
  customfields: follows('written at /patients/{patientid}/customfields'),
  insurances: follows('written at /patients/{patientid}/insurances'),
};
