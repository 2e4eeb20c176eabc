import { deleteChartImage, type ImagePlace, readChartImage, setChartImage } from '../../../../domain/patients/record/chart-images.ts';
import { findInsurance } from '../../../../domain/patients/record/insurances.ts';
import type { Tx } from '../../../../domain/tx.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { fromImage, ImageForm, ImageShape, SUCCESS, Success, toImage } from '../images.wire.ts';
import { insuranceParams } from './insurances.wire.ts';

const CARDS = { tag: 'Insurances', beyondDocument: true, params: insuranceParams } as const;

/** Images of insurance cards; public clients send them by POST and by PUT. */
export function insuranceCardRoutes({ get, post, put, remove }: Endpoints): void {
  get('/patients/:patientId/insurances/:insuranceId/image', {
    ...CARDS,
    operationId: 'getInsuranceCard',
    summary: 'Read the image of an insurance card',
    description: 'Responds 404 if there is none.',
    response: ImageShape,
    handle: async ({ tx, params }) => fromImage(await readChartImage(tx, await findCardPlace(tx, params))),
  });

  const store = {
    ...CARDS,
    description: 'A JPEG or PNG image, which replaces the former one. The form may have at most 1 MiB.',
    body: ImageForm,
    response: Success,
  };
  const handle = async (tx: Tx, params: CardParams, image: Uint8Array<ArrayBuffer>) => {
    await setChartImage(tx, await findCardPlace(tx, params), image);
    return SUCCESS;
  };
  post('/patients/:patientId/insurances/:insuranceId/image', {
    ...store,
    operationId: 'addInsuranceCard',
    summary: 'Add the image of an insurance card',
    handle: ({ tx, params, body }) => handle(tx, params, toImage(body)),
  });
  put('/patients/:patientId/insurances/:insuranceId/image', {
    ...store,
    operationId: 'setInsuranceCard',
    summary: 'Set the image of an insurance card',
    handle: ({ tx, params, body }) => handle(tx, params, toImage(body)),
  });

  remove('/patients/:patientId/insurances/:insuranceId/image', {
    ...CARDS,
    operationId: 'deleteInsuranceCard',
    summary: 'Delete the image of an insurance card',
    description: 'Responds 404 if there is none.',
    response: Success,
    handle: async ({ tx, params }) => {
      await deleteChartImage(tx, await findCardPlace(tx, params));
      return SUCCESS;
    },
  });
}

interface CardParams {
  patientId: number;
  insuranceId: number;
}

/** @throws Failure not_found for another patient's insurance */
async function findCardPlace(tx: Tx, { patientId, insuranceId }: CardParams): Promise<ImagePlace> {
  await findInsurance(tx, patientId, insuranceId);
  return { patientId, insuranceId };
}
