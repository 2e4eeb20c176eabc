import { element } from '../page/page-elements.ts';

interface SidePanel {
  /** Id of the button that opens it. */
  button: string;
  section: string;
  onOpen?(open: boolean): void;
}

/** The panels beside the stage, of which at most one is open. Escape closes it and gives the focus back to its button. */
export class SidePanels {
  readonly #panels: SidePanel[];

  constructor(panels: SidePanel[]) {
    this.#panels = panels;
    for (const panel of panels) {
      element(panel.button, 'button').addEventListener('click', () => this.#toggle(panel));
      element(panel.section, 'section')
        .querySelector('[data-close]')
        ?.addEventListener('click', () => this.#toggle(panel));
    }
    element('side', 'aside').addEventListener('keydown', ({ key }) => {
      const open = key === 'Escape' && panels.find(({ section }) => !element(section, 'section').hidden);
      if (open) this.#toggle(open);
    });
  }

  #toggle(panel: SidePanel): void {
    const opens = element(panel.section, 'section').hidden;
    for (const one of this.#panels) this.#show(one, opens && one === panel);
    element('side', 'aside').hidden = !opens;
    if (opens) element(panel.section, 'section').querySelector<HTMLElement>('input, button:not([data-close]), [data-close]')?.focus();
    else element(panel.button, 'button').focus();
  }

  #show(panel: SidePanel, open: boolean): void {
    const section = element(panel.section, 'section');
    const wasOpen = !section.hidden;
    section.hidden = !open;
    element(panel.button, 'button').ariaExpanded = String(open);
    if (wasOpen !== open) panel.onOpen?.(open);
  }
}
