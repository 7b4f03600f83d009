/**
 * English texts of the help page.
 * Invariant: the Portuguese table has the same keys. The picture of a task has the task's name.
 * Texts quote button names exactly as on the button.
 */

/** A task, step by step. */
export interface HelpTask {
  readonly title: string;
  readonly steps: readonly string[];
  /** Describes its picture. */
  readonly picture?: string;
}

/** The tasks, in the order of the page. */
export const TASK_NAMES = [
  "name",
  "cnpj",
  "sentence",
  "narrow",
  "exclude",
  "excel",
  "crm",
  "save",
  "news",
  "share",
] as const;

/** Name of a task, and of its picture. */
export type TaskName = (typeof TASK_NAMES)[number];

/** A part to read, not a task. */
interface HelpPart {
  readonly title: string;
  readonly points: readonly string[];
}

/** Words of this area. */
export const help = {
  lead: "Ten common tasks, what the registry holds, and how fresh it is.",
  contents: "On this page",
  tasks: {
    name: {
      title: "Find a company even if its name is misspelled",
      steps: [
        "Type the name into the box at the top: one or two wrong letters do not matter.",
        "Names that fit appear below while you type. Go to one by arrow keys or a click.",
        "The page of the company opens, with its contacts, activities and branches.",
      ],
      picture: "The search box with a misspelled name and the companies that fit it",
    },
    cnpj: {
      title: "Look up a CNPJ",
      steps: [
        "Type or paste the number, with or without its mask, and press Enter.",
        "With its first eight characters alone you find the company with all its branches.",
        "A number whose check digits are wrong is flagged as mistyped.",
      ],
      picture: "The page of a company",
    },
    sentence: {
      title: "Make a list from one sentence",
      steps: [
        "Write what you look for: kind of business, place, and what they must have.",
        "Below the box each word shows what it became. What was not used is said.",
        "Filters at the left stay as you would have set them, and can be changed one by one.",
      ],
      picture: "A sentence, what each word became, and the establishments found",
    },
    narrow: {
      title: "Keep those that you can reach",
      steps: [
        "Under “Contact” ask for a mobile, a landline, or an e-mail at a domain of their own.",
        "“E-mail not shared with other companies” leaves out accountants, as for phones.",
        "Under “Place” add cities, area codes, or the beginning of a postal code for a district.",
      ],
      picture: "The filters of contacts beside the results",
    },
    exclude: {
      title: "Leave your customers out",
      steps: [
        "Keep the CNPJs of your customers as a list: paste them, or upload a file.",
        "A root of eight characters stands for a company with all its branches.",
        "Exclude the list in a search, by its filter or in the sentence (“… not in my list " +
          "Customers”): its establishments are neither shown nor exported.",
      ],
    },
    excel: {
      title: "Export 500 to Excel",
      steps: [
        "Click “Export” above the list and keep “Excel”.",
        "Write 500 as the limit of rows: you get the first of the order on screen.",
        "CNPJs keep their zeros, and phones, dates and amounts are as people write them.",
        "For very many rows choose CSV. “Compression” makes that file smaller, as gzip or as " +
          "zstd; unpack it before you open it.",
      ],
      picture: "The export dialog with Excel and a limit of 500 rows",
    },
    crm: {
      title: "Import a list into your CRM",
      steps: [
        "In the export dialog choose your product under “Layout”, and CSV or Excel.",
        "The columns are named as its importer expects.",
        "Import the file there. Columns that it does not know can be mapped or left out.",
      ],
      picture: "The export dialog with the layout of a CRM",
    },
    save: {
      title: "Keep a search for later",
      steps: [
        "Click “Notify me monthly” above the list and give the search a name.",
        "Everybody in your team finds it under “Saved”, with how its count changes.",
      ],
      picture: "A saved search with its counts",
    },
    news: {
      title: "See what is new this month, and export only that",
      steps: [
        "When data of a newer month is here, “Saved” shows a number.",
        "Open a search's updates: new, gone, and changed establishments, each with its count.",
        "Export one kind alone, such as the new ones, and mark the news as seen.",
      ],
    },
    share: {
      title: "Send a search to a colleague, or print it",
      steps: [
        "“Copy link” copies the address of what is on screen; everyone who signs in sees the same.",
        "Printing gives the filters, the charts and the first 200 rows.",
      ],
    },
  } as Readonly<Record<TaskName, HelpTask>>,
  holds: {
    title: "What the registry holds",
    points: [
      "Every establishment with a CNPJ: head offices and branches, active and closed.",
      "Names, status, opening date, activities, size, share capital, legal nature, Simples, MEI.",
      "Address, and the e-mail and phones that were given at registration. They may be old, and " +
        "are often those of the accountant.",
    ],
  } as HelpPart,
  lacks: {
    title: "What it does not hold",
    points: [
      "Revenue, number of employees, websites and social networks: the Receita has no such data.",
      "Partners: they are personal data and are left out here; the Receita shows them.",
      "Any contact that the company did not register itself. Nothing is added from elsewhere.",
    ],
  } as HelpPart,
  fresh: {
    title: "How fresh it is",
    points: [
      "The Receita Federal publishes the registry once a month. What happened since is not in it.",
      "The month that is searched stands at the top of every page. When a newer one is taken " +
        "over you are told, and everything on screen follows.",
      "A file keeps the month that it was made from.",
    ],
  } as HelpPart,
};
