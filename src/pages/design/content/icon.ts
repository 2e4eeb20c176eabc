import { html } from '../../html.ts';

/** Paths on a square of 24, drawn with a line of 2. */
const PATHS = {
  phone: 'M5 3.5h3.2l1.6 4.4-2.3 1.7a12.5 12.5 0 0 0 6.9 6.9l1.7-2.3 4.4 1.6V19a2 2 0 0 1-2.2 2A17 17 0 0 1 3 5.7 2 2 0 0 1 5 3.5Z',
  check: 'M4.5 12.5l5 5 10-11',
  info: 'M12 11v5.5M12 7.5v.01M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  success: 'M8 12.2l2.8 2.8L16 9.5M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  warning: 'M12 9.5v4M12 17v.01M10.3 4.3 2.6 17.6A2 2 0 0 0 4.3 20.6h15.4a2 2 0 0 0 1.7-3L13.7 4.3a2 2 0 0 0-3.4 0Z',
  danger: 'M12 7.5V13M12 16.5v.01M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  clock: 'M12 7v5l3.2 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  lock: 'M8 11V7.5a4 4 0 0 1 8 0V11M6.5 11h11a1.5 1.5 0 0 1 1.5 1.5v6a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 5 18.5v-6A1.5 1.5 0 0 1 6.5 11Z',
  file: 'M13.5 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8.5L13.5 3ZM13.5 3v5.5H19',
  mail: 'M5 5.5h14A1.5 1.5 0 0 1 20.5 7v10a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 17V7A1.5 1.5 0 0 1 5 5.5ZM4 7.5l8 5.5 8-5.5',
  message: 'M20.5 12a7.5 7.5 0 0 1-7.5 7.5H4l1.6-3A7.5 7.5 0 0 1 11 4.5h2a7.5 7.5 0 0 1 7.5 7.5Z',
  people: 'M9.5 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM3 20a6.5 6.5 0 0 1 13 0M16 4.3a3.5 3.5 0 0 1 0 6.4M17.5 14a6.5 6.5 0 0 1 3.5 6',
  link: 'M10 14a4 4 0 0 0 5.7 0l3.1-3.1a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0l-3.1 3.1a4 4 0 0 0 5.7 5.7l1.1-1.1',
  forward: 'M9 5l7 7-7 7',
  back: 'M15 5l-7 7 7 7',
  close: 'M6 6l12 12M18 6 6 18',
  microphone: 'M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM6 11a6 6 0 0 0 12 0M12 17v4M9 21h6',
  microphoneOff:
    'M9 9v2a3 3 0 0 0 4.6 2.5M15 10V6a3 3 0 0 0-5.7-1.3M6 11a6 6 0 0 0 9.6 4.8M18 11a6 6 0 0 1-.4 2.1M12 17v4M9 21h6M4 3l17 18',
  camera: 'M5 6h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2zM15 11l6-4v10l-6-4',
  cameraOff: 'M10 6h3a2 2 0 0 1 2 2v3l6-4v10l-3.4-2.3M15 16a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V8a2 2 0 0 1 1.6-2M4 3l17 18',
  turn: 'M4 9a8 8 0 0 1 14-2.5L20 9M20 4v5h-5M20 15a8 8 0 0 1-14 2.5L4 15M4 20v-5h5',
  blur: 'M12 6a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM6.5 20a5.5 5.5 0 0 1 11 0M3 6h2M3 11h3M19 6h2M18 11h3M3 16h2M19 16h2',
  share: 'M4 5h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM9 21h6M12 17v4M12 14V8M9.5 10.5L12 8l2.5 2.5',
  picture: 'M4 7h3l2-3h6l2 3h3a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1zM12 9.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7z',
  request: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM12 8.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM11 18h2',
  record: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
  chat: 'M5 4h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-7l-5 4v-4H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM8 9h8M8 12.5h5',
  more: 'M5 11a1 1 0 1 1 0 2 1 1 0 0 1 0-2zM12 11a1 1 0 1 1 0 2 1 1 0 0 1 0-2zM19 11a1 1 0 1 1 0 2 1 1 0 0 1 0-2z',
  leave: 'M3 14.5c5-5 13-5 18 0l-2.5 2.5-4-2v-3a12 12 0 0 0-5 0v3l-4 2z',
  end: 'M12 3v8M7 6a7.5 7.5 0 1 0 10 0',
  speaker: 'M4 9h3l5-4v14l-5-4H4zM15.5 9a4 4 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11',
  network: 'M3 9a13 13 0 0 1 18 0M6 12.5a9 9 0 0 1 12 0M9 16a5 5 0 0 1 6 0M12 19.5v.01',
} as const;

export type IconName = keyof typeof PATHS;

/**
 * An icon as tall as the text beside it, in its colour. It says nothing of its own: the words beside it do.
 * @param style a further class
 */
export const icon = (name: IconName, style = ''): string =>
  html`<svg class="icon${style && ` ${style}`}" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${PATHS[name]}"/></svg>`;
