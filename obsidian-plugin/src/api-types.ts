// Generated from the daemon's OpenAPI document by scripts/api-types.mjs. Do not edit.

export interface paths {
    "/v1/status": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Status
         * @description State of the daemon: handshake, progress, counts, problems. Cheap; poll `change` to notice news.
         */
        get: operations["status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recall": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recall
         * @description The memories that answer a question, with reasons and exact places.
         */
        post: operations["recall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/why": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Why
         * @description The causal chain behind what is asked about, or what came of it.
         */
        post: operations["why"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/related": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Related
         * @description Notes near a note.
         */
        get: operations["related"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/explain": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain
         * @description Why a note is, or is not, among the answers to a question.
         */
        post: operations["explain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/facts": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Facts
         * @description Facts by id, a page at a time.
         */
        get: operations["facts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/facts/{id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Fact
         * @description One fact with its history.
         */
        get: operations["fact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Correct
         * @description Change fields of a fact, as one revision over what its source says.
         */
        patch: operations["correct"];
        trace?: never;
    };
    "/v1/episodes": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Episodes
         * @description Notes that tell of an attempt and how it ended, newest first, a page at a time.
         */
        get: operations["episodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/links": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Links
         * @description Edges between notes.
         */
        get: operations["links"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Notes
         * @description What became of each note: indexed, waiting, skipped or failed, with the reason.
         */
        get: operations["notes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notes/{path}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Note
         * @description A note as it was read: properties, headings, passages, facts, links both ways, problems.
         */
        get: operations["note"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exam": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Exam Runs
         * @description The last runs of all devices, oldest first.
         */
        get: operations["exam_runs"];
        put?: never;
        /**
         * Exam
         * @description Sit the exam of the vault, or a part of it; answers at once with a job, whose result is the report.
         */
        post: operations["exam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exam/questions": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Exam Questions
         * @description The user's own questions, those taken out, and lines of the file that are none.
         */
        get: operations["exam_questions"];
        put?: never;
        /**
         * Exam Add
         * @description Add a question, or make one of the last recall.
         */
        post: operations["exam_add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exam/questions/{id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exam Remove
         * @description Take a question out, or bring it back; its line stays in the file.
         */
        post: operations["exam_remove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tune": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tune
         * @description Fit settings to confirmed uses and the exam; answers at once with a job, whose result is the report.
         */
        post: operations["tune"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rebuild": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebuild
         * @description Throw an index away and build it again; answers at once with a job.
         */
        post: operations["rebuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Job
         * @description How far a job is.
         */
        get: operations["job"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/doctor": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Doctor
         * @description Checks of everything that can be wrong, each with why it matters and its remedy.
         */
        get: operations["doctor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pause": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause
         * @description Stop indexing, for some minutes or until told to go on. Questions are still answered.
         */
        post: operations["pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resume": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume
         * @description Go on indexing.
         */
        post: operations["resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/answer": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer
         * @description What the notes say to a question: the sentences that answer, cited, the causal chain, the episode behind it.
         */
        post: operations["answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/{action}": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Act
         * @description Archive, restore, freeze, thaw, pin, forget, quarantine, clear or confirm a fact, or a note with its facts.
         */
        post: operations["act"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/undo": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo
         * @description Take a revision back with all its parts; without an id the latest of whoever asks.
         */
        post: operations["undo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/revisions": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Revisions
         * @description The latest revisions, for choosing what to undo.
         */
        get: operations["revisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reviews": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Reviews
         * @description What a person should decide: disputes, what has expired, what is held back or quarantined, lost lines.
         */
        get: operations["reviews"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uses": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Uses
         * @description Say that memories of an answer helped: they stay warm, and rank a little higher where they are as relevant.
         */
        post: operations["uses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/corrections": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Corrections
         * @description Say that memories are wrong: a person is asked about them, and nothing is deleted.
         */
        post: operations["corrections"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reviews/{id}/ruling": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rule
         * @description Decide an open question by one of its choices; one undo takes it back.
         */
        post: operations["rule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sleep": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sleep
         * @description Have a night, only look ahead, or take one back; answers at once with a job, whose result tells what was decided.
         */
        post: operations["sleep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/health": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Health
         * @description The figures of the core as they were last computed, their age, and how they moved. Computes nothing.
         */
        get: operations["health"];
        put?: never;
        /**
         * Measure
         * @description Compute the figures now; answers at once with a job.
         */
        post: operations["measure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/digest": {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Digest
         * @description What is worth a minute today: memories that come back, what waits for a ruling, the last night.
         */
        get: operations["digest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * ActRequest
         * @description POST /v1/records/{id}/{action}.
         */
        ActRequest: {
            /**
             * Why
             * @description The reason, kept with the revision.
             * @default
             */
            why?: string;
            /**
             * Client
             * @description Who acts, if it is an agent; null: a person.
             */
            client?: string | null;
        };
        /**
         * AnswerEpisode
         * @description The attempt behind an answer.
         */
        AnswerEpisode: {
            /** Note */
            note: string;
            /** Title */
            title: string;
            /** Type */
            type: string;
            /** Date */
            date: string | null;
            /**
             * Result
             * @description Null: the note does not say how it ended.
             */
            result: ("success" | "partial" | "failure") | null;
            /**
             * Parts
             * @description Of trigger, result, reason and lesson those that the note says.
             */
            parts: {
                [key: string]: components["schemas"]["AnswerPart"];
            };
        };
        /**
         * AnswerPart
         * @description A part of the episode as its note says it.
         */
        AnswerPart: {
            /**
             * Text
             * @description In plain words.
             */
            text: string;
            /** Line */
            line: number;
            /**
             * Quote
             * @description Verbatim from the note.
             */
            quote: string;
            /**
             * N
             * @description Its citation.
             */
            n: number;
        };
        /**
         * AnswerPlace
         * @description A note on the causal chain.
         */
        AnswerPlace: {
            /** Note */
            note: string;
            /** Title */
            title: string;
            /** Line */
            line: number;
            /** Column */
            column: number;
            /** Date */
            date: string | null;
            /** Type */
            type: string;
            /** @description Null for the first place. */
            edge: components["schemas"]["WhyEdge"] | null;
            /**
             * Superseded By
             * @description The note that says it takes this one's place.
             */
            superseded_by: string | null;
            /**
             * N
             * @description The citation that states the step to this place; null for the first.
             */
            n: number | null;
        };
        /**
         * AnswerRequest
         * @description POST /v1/answer.
         */
        AnswerRequest: {
            /**
             * Query
             * @description The question, in any language; never read as syntax.
             */
            query: string;
            /**
             * Type
             * @description Only from memories of this type (decision, lesson, ...).
             */
            type?: string | null;
            /**
             * Layer
             * @description Only from memories of this layer.
             */
            layer?: ("semantic" | "episodic" | "procedural" | "concept" | "working") | null;
            /**
             * Scope
             * @description Only from notes in this folder.
             */
            scope?: string | null;
            /**
             * As Of
             * @description Answer as on that day; records dated later are hidden.
             */
            as_of?: string | null;
            /**
             * Budget
             * @description Tokens that memories, and the answer, may take.
             */
            budget?: number | null;
            /**
             * Include
             * @description States that are hidden unless asked for.
             */
            include?: ("stale" | "archived" | "frozen" | "quarantined" | "conversations")[];
            /**
             * Local
             * @description Quotes only: Claude is not asked, whatever the settings say.
             * @default false
             */
            local?: boolean;
        };
        /**
         * AnswerResponse
         * @description POST /v1/answer.
         */
        AnswerResponse: {
            /** Query */
            query: string;
            /**
             * Answer
             * @description Plain text that Markdown shows as it is (characters that mean something to it stand behind a backslash): quotes with [n], then the chain, then the episode. When abstained: one sentence that says so.
             */
            answer: string;
            /**
             * By
             * @description "extract": quotes of the notes; else the model that put it into words.
             */
            by: string;
            /**
             * Why
             * @description Why Claude was asked in vain, or what it was not shown; in the language of the question.
             */
            why: string | null;
            /**
             * Lang
             * @description Of the question, and of all words that are not quoted.
             * @enum {string}
             */
            lang: "zh" | "en";
            /** Citations */
            citations: components["schemas"]["Citation"][];
            /**
             * Chain
             * @description Places in order; empty where no link states a reason.
             */
            chain: components["schemas"]["AnswerPlace"][];
            episode: components["schemas"]["AnswerEpisode"] | null;
            /** Abstained */
            abstained: boolean;
            /**
             * Nearest
             * @description When abstained: what is nearest, unverified.
             */
            nearest: components["schemas"]["NearNote"][];
            /**
             * As Of
             * @description The day that was asked about; null: now.
             */
            as_of: string | null;
            /**
             * Hidden
             * @description Matches left out, by state.
             */
            hidden: {
                [key: string]: number;
            };
            /** Skipped */
            skipped: components["schemas"]["Skipped"][];
            /** Budget */
            budget: number;
            /**
             * Tokens
             * @description Of the answer, estimated.
             */
            tokens: number;
            /** Ms */
            ms: {
                [key: string]: number;
            };
        };
        /**
         * BlockInfo
         * @description A block id, without its caret.
         */
        BlockInfo: {
            /** Id */
            id: string;
            /** Offset */
            offset: number;
            /** Line */
            line: number;
        };
        /**
         * ChainStep
         * @description A further step of the causal chain that the item's note is on; asked with a question why.
         */
        ChainStep: {
            /** Note */
            note: string;
            /**
             * Line
             * @description In `source`.
             */
            line: number;
            /** Type */
            type: string;
            /**
             * Text
             * @description The sentence that says so.
             */
            text: string;
            /**
             * Words
             * @description How the step is said, in the language asked for, else that of the question.
             */
            words: string;
            /**
             * Source
             * @description The file that says it.
             */
            source: string;
            /** Date */
            date: string | null;
            /** Superseded By */
            superseded_by: string | null;
        };
        /**
         * Channel
         * @description Where one way of finding placed the item: 1 is best; `score` is its own and cannot be compared.
         */
        Channel: {
            /** Rank */
            rank: number;
            /** Score */
            score: number;
        };
        /**
         * Check
         * @description One thing `doctor` looked at.
         */
        Check: {
            /**
             * Name
             * @description Stable; `title` is what a person reads.
             */
            name: string;
            /** Title */
            title: string;
            /** Ok */
            ok: boolean;
            /** Message */
            message: string;
            /**
             * Why
             * @description Why it matters.
             */
            why: string;
            /**
             * Fix
             * @description What mends it, or could be better though it is in order; commands are in backticks.
             */
            fix: string;
        };
        /**
         * Choice
         * @description A ruling that a question offers.
         */
        Choice: {
            /**
             * Ruling
             * @enum {string}
             */
            ruling: "keep_a" | "keep_b" | "both" | "merge" | "still_true" | "archive" | "accept" | "refuse" | "clear" | "forget" | "bring_back" | "keep_file" | "later";
            /** Label */
            label: string;
        };
        /**
         * Citation
         * @description A place that bears an answer out: the words of the note as they stand there now.
         */
        Citation: {
            /**
             * N
             * @description As in the answer: [n].
             */
            n: number;
            /** Note */
            note: string;
            /** Title */
            title: string;
            /** Line */
            line: number;
            /** Column */
            column: number;
            /**
             * Quote
             * @description Verbatim from the note, beginning at `line` and `column`.
             */
            quote: string;
            /** Heading */
            heading: string | null;
            /**
             * As Of
             * @description The day the claim was made, as far as known.
             */
            as_of: string | null;
            /**
             * Id
             * @description The fact, passage or note that it is from.
             */
            id: string;
            /**
             * State
             * @enum {string}
             */
            state: "candidate" | "active" | "stale" | "archived" | "quarantined";
            /**
             * Disputed
             * @description Another note says otherwise; that one is cited as well.
             */
            disputed: boolean;
            /**
             * Superseded By
             * @description The fact that took its place.
             */
            superseded_by: string | null;
        };
        /**
         * CorrectRequest
         * @description PATCH /v1/facts/{id}: fields and their new values, as one revision; null where a field may be unknown.
         */
        CorrectRequest: {
            /** Set */
            set: {
                [key: string]: unknown;
            };
            /**
             * Why
             * @description The reason, kept with the revision.
             * @default
             */
            why?: string;
            /**
             * Client
             * @description Who acts, if it is an agent; null: a person.
             */
            client?: string | null;
        };
        /**
         * CorrectionsRequest
         * @description POST /v1/corrections.
         */
        CorrectionsRequest: {
            /**
             * Ids
             * @description Facts, notes or passages, as answers name them.
             */
            ids: string[];
            /**
             * Why
             * @description What is wrong, for whoever reviews it.
             */
            why: string;
            /** Query */
            query?: string | null;
            /**
             * Session
             * @description In one session an id counts once; without one, once a day.
             */
            session?: string | null;
            /**
             * Client
             * @description Who acts, if it is an agent; null: a person.
             */
            client?: string | null;
        };
        /**
         * Counts
         * @description How much there is. `notes` = indexed + pending + skipped + failed.
         */
        Counts: {
            /** Notes */
            notes: number;
            /** Indexed */
            indexed: number;
            /** Pending */
            pending: number;
            /** Skipped */
            skipped: number;
            /** Failed */
            failed: number;
            /** Passages */
            passages: number;
            /** Facts */
            facts: number;
            /** Links */
            links: number;
            /** Unresolved */
            unresolved: number;
            /** Ambiguous */
            ambiguous: number;
            /** Vectors */
            vectors: number;
            /** Vectors Wanted */
            vectors_wanted: number;
        };
        /**
         * DigestAnswer
         * @description What a person may say to a memory that comes back: a request to make (`post` with `body`), or a file to `open` and rewrite.
         */
        DigestAnswer: {
            /**
             * Answer
             * @enum {string}
             */
            answer: "use" | "rewrite" | "retire";
            /** Label */
            label: string;
            /** Label Zh */
            label_zh: string;
            /** Post */
            post: string | null;
            /** Body */
            body: {
                [key: string]: unknown;
            } | null;
            /** Open */
            open: string | null;
        };
        /**
         * DigestItem
         * @description A core memory that comes back this week, and a note of these days in which it may serve.
         */
        DigestItem: {
            /** Id */
            id: string;
            /** Path */
            path: string;
            /** Title */
            title: string;
            /** Claim */
            claim: string;
            /** Hook */
            hook: string;
            /**
             * Lang
             * @description Of the memory.
             * @enum {string}
             */
            lang: "zh" | "en";
            /**
             * Private
             * @description The memory, or the note in which it may serve, is private.
             */
            private: boolean;
            /** Idle Days */
            idle_days: number;
            /** Question */
            question: string;
            /** Question Zh */
            question_zh: string;
            place: components["schemas"]["DigestPlace"] | null;
            /** Answers */
            answers: components["schemas"]["DigestAnswer"][];
        };
        /**
         * DigestPlace
         * @description A note.
         */
        DigestPlace: {
            /** Path */
            path: string;
            /** Title */
            title: string;
        };
        /**
         * DigestResponse
         * @description GET /v1/digest: what is worth a minute today.
         */
        DigestResponse: {
            /** Day */
            day: string;
            /** Week */
            week: string;
            /** Revive */
            revive: components["schemas"]["DigestItem"][];
            /** Reviews */
            reviews: components["schemas"]["DigestReview"][];
            /**
             * Open
             * @description Open questions in all.
             */
            open: number;
            /** Warnings */
            warnings: components["schemas"]["HealthWarning"][];
            /** @description The last night, if it was today or yesterday. */
            night: components["schemas"]["HealthNight"] | null;
            /** Report */
            report: string | null;
            /**
             * Markdown
             * @description The same as a callout for a daily note; nothing is put there but by a person.
             */
            markdown: string;
            /** Markdown Zh */
            markdown_zh: string;
            /** Hint */
            hint: string | null;
            /** Hint Zh */
            hint_zh: string | null;
        };
        /**
         * DigestReview
         * @description An open question, the most pressing first.
         */
        DigestReview: {
            /** Id */
            id: string;
            /** Kind */
            kind: string;
            /** Question */
            question: string;
            /** Since */
            since: string | null;
            /**
             * Text
             * @description The first thing it is about, as that says it; null: it is about lost lines.
             */
            text: string | null;
            /** Note */
            note: string | null;
            /** Line */
            line: number | null;
        };
        /**
         * DoctorResponse
         * @description GET /v1/doctor.
         */
        DoctorResponse: {
            /** Ok */
            ok: boolean;
            /** Checks */
            checks: components["schemas"]["Check"][];
        };
        /**
         * EpisodeView
         * @description What a note tells of an attempt: what set it off, what was tried, how it ended, why, and what to do next time.
         */
        EpisodeView: {
            /** Note */
            note: string;
            /** Title */
            title: string;
            /**
             * Type
             * @description As the note declares it, folded; "episode" if it declares none.
             */
            type: string;
            /** Date */
            date: string | null;
            /**
             * Result
             * @description Null: the note does not say how it ended, and nothing is guessed.
             */
            result: ("success" | "partial" | "failure") | null;
            /**
             * Stated
             * @description The result is a property; false: it was read from the words of the note.
             */
            stated: boolean;
            /**
             * Sign
             * @description What made the note an episode: its type, its result, its sections, or its prose.
             * @enum {string}
             */
            sign: "type" | "result" | "sections" | "prose";
            /**
             * Missing
             * @description What it should say and does not.
             */
            missing: ("trigger" | "result" | "lesson")[];
            /** Private */
            private: boolean;
            /**
             * Parts
             * @description Only those that the note says.
             */
            parts: {
                [key: string]: components["schemas"]["SaidPart"];
            };
            /**
             * Facts
             * @description Ids of facts whose `because` points to it, at most 200.
             */
            facts: string[];
        };
        /**
         * EpisodesResponse
         * @description GET /v1/episodes, newest first, undated ones last. `next` goes into `after` for the next page; null on the last one.
         */
        EpisodesResponse: {
            /** Episodes */
            episodes: components["schemas"]["EpisodeView"][];
            /** Total */
            total: number;
            /**
             * Counts
             * @description Of all episodes, by result; those that do not say under `missing`.
             */
            counts: {
                [key: string]: number;
            };
            /** Next */
            next: string | null;
        };
        /**
         * ErrorInfo
         * @description Why it could not be done and what to do about it; `code` is stable (memory.errors).
         */
        ErrorInfo: {
            /** Code */
            code: string;
            /** Reason */
            reason: string;
            /** Remedy */
            remedy: string;
        };
        /**
         * ErrorResponse
         * @description The body of every answer that is not 2xx.
         */
        ErrorResponse: {
            error: components["schemas"]["ErrorInfo"];
        };
        /**
         * EvidenceRecord
         * @description A further place that says the same.
         */
        EvidenceRecord: {
            /** Source */
            source: string;
            /** Line */
            line: number;
            /** Quote */
            quote: string;
            /** Created At */
            created_at: string | null;
        };
        /**
         * ExamAddRequest
         * @description POST /v1/exam/questions. Notes by path from the vault's root, or by an id that an answer shows.
         */
        ExamAddRequest: {
            /** Query */
            query?: string | null;
            /**
             * Gold
             * @description Notes of which one must come.
             */
            gold?: string[];
            /**
             * Against
             * @description Notes that must come after it.
             */
            against?: string[];
            /**
             * Quote
             * @description Exact text of a gold note that must be shown.
             */
            quote?: string | null;
            /**
             * Answers
             * @description Words of which one must be shown.
             */
            answers?: string[];
            /**
             * Kind
             * @description null: must-cite with a quote, conflict with `against`, else find.
             */
            kind?: ("find" | "must-cite" | "conflict" | "unanswerable") | null;
            /**
             * Type
             * @description The type of memory that it asks for.
             */
            type?: string | null;
            /** As Of */
            as_of?: string | null;
            /** Scope */
            scope?: string | null;
            /**
             * Last
             * @description Take the question of the last recall.
             */
            last?: ("right" | "wrong") | null;
            /** Client */
            client?: string | null;
        };
        /**
         * ExamCounts
         * @description What was asked. `copied` of `notes` were in the copy that the contradictions were planted in.
         */
        ExamCounts: {
            /** Asked */
            asked: number;
            /** By Kind */
            by_kind: {
                [key: string]: number;
            };
            /** Passed Over */
            passed_over: number;
            /** Planted */
            planted: number;
            /** Repeated */
            repeated: number;
            /** Copied */
            copied: number;
            /** Notes */
            notes: number;
        };
        /**
         * ExamFailure
         * @description What went wrong: what was wanted, what came instead, and the command that shows why. `regression`: it went right before.
         */
        ExamFailure: {
            /** Part */
            part: string;
            /** Id */
            id: string;
            /** Query */
            query: string;
            /** Wanted */
            wanted: string[];
            /** Got */
            got: string[];
            /** Code */
            code: string;
            /** Why */
            why: string;
            /** Why Zh */
            why_zh: string;
            /** Look */
            look: string;
            /** Regression */
            regression: boolean;
        };
        /**
         * ExamFigure
         * @description A share, `k` of `n`, with its 95 % Wilson interval.
         */
        ExamFigure: {
            /** Name */
            name: string;
            /** Title */
            title: string;
            /** Title Zh */
            title_zh: string;
            /** K */
            k: number;
            /** N */
            n: number;
            /** Value */
            value: number;
            /** Low */
            low: number;
            /** High */
            high: number;
            /** Lower Is Better */
            lower_is_better: boolean;
            last: components["schemas"]["ExamLast"] | null;
        };
        /**
         * ExamJobResponse
         * @description POST /v1/exam; then GET /v1/jobs/{id} until it is done.
         */
        ExamJobResponse: {
            /** Id */
            id: string;
            /** What */
            what: string;
            /**
             * State
             * @enum {string}
             */
            state: "queued" | "running" | "done" | "failed";
            progress: components["schemas"]["Progress"];
            /**
             * Message
             * @description Why it failed, else empty.
             */
            message: string;
            /** Started */
            started: string | null;
            /** Finished */
            finished: string | null;
            /** @description What came of it, once it is done. */
            result: components["schemas"]["ExamReport"] | null;
        };
        /**
         * ExamKind
         * @description A share that runs report: its name, what a person reads, its latest value, and how it stood in the run before that had it.
         */
        ExamKind: {
            /** Name */
            name: string;
            /** Title */
            title: string;
            /** Title Zh */
            title_zh: string;
            /**
             * Unit
             * @constant
             */
            unit: "share";
            /**
             * Value
             * @description null: none of the runs has it.
             */
            value: number | null;
            last: components["schemas"]["HealthMove"] | null;
            /** Lower Is Better */
            lower_is_better: boolean;
        };
        /**
         * ExamLast
         * @description A figure in the last run. `gained`, `lost`: of the `same` questions; null where only counts could be compared.
         */
        ExamLast: {
            /** Value */
            value: number;
            /** Same */
            same: number;
            /** Gained */
            gained: number | null;
            /** Lost */
            lost: number | null;
            /** P */
            p: number;
            /**
             * Verdict
             * @enum {string}
             */
            verdict: "better" | "worse" | "no difference" | "not comparable";
        };
        /**
         * ExamMemory
         * @description With memory against as many tokens of the newest notes, on the same questions; `by_words`, `by_note`: how judged.
         */
        ExamMemory: {
            /** Judged */
            judged: number;
            /** By Words */
            by_words: number;
            /** By Claude */
            by_claude: number;
            /** By Note */
            by_note: number;
            /** Wins */
            wins: number;
            /** Losses */
            losses: number;
            /** Draws */
            draws: number;
            /** P */
            p: number;
            /**
             * Verdict
             * @enum {string}
             */
            verdict: "memory" | "newest notes" | "draw";
        };
        /**
         * ExamNotice
         * @description Something that was not measured, and why.
         */
        ExamNotice: {
            /** Code */
            code: string;
            /** Text */
            text: string;
            /** Text Zh */
            text_zh: string;
        };
        /**
         * ExamProblem
         * @description A line of the exam that could not be used.
         */
        ExamProblem: {
            /** Path */
            path: string;
            /** Line */
            line: number | null;
            /** Code */
            code: string;
            /** Message */
            message: string;
            /** Fix */
            fix: string;
        };
        /**
         * ExamQuestion
         * @description A question of the user's own exam, and where it stands in the file.
         */
        ExamQuestion: {
            /** Id */
            id: string;
            /** Query */
            query: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "find" | "must-cite" | "conflict" | "unanswerable";
            /** Gold */
            gold: string[];
            /** Against */
            against: string[];
            /** Quote */
            quote: string | null;
            /** Gold Line */
            gold_line: number | null;
            /** Answers */
            answers: string[];
            /** Type */
            type: string | null;
            /** As Of */
            as_of: string | null;
            /** Scope */
            scope: string | null;
            /** Line */
            line: number;
            /**
             * Removed
             * @description The day it was taken out.
             */
            removed: string | null;
        };
        /**
         * ExamQuestionResponse
         * @description POST /v1/exam/questions and /v1/exam/questions/{id}.
         */
        ExamQuestionResponse: {
            question: components["schemas"]["ExamQuestion"];
            /**
             * Asked
             * @description Questions that the exam asks now.
             */
            asked: number;
        };
        /**
         * ExamQuestionsResponse
         * @description GET /v1/exam/questions.
         */
        ExamQuestionsResponse: {
            /** File */
            file: string;
            /** Questions */
            questions: components["schemas"]["ExamQuestion"][];
            /** Removed */
            removed: components["schemas"]["ExamQuestion"][];
            /** Problems */
            problems: components["schemas"]["ExamProblem"][];
        };
        /**
         * ExamRemoveRequest
         * @description POST /v1/exam/questions/{id}.
         */
        ExamRemoveRequest: {
            /**
             * Undo
             * @description Bring it back.
             * @default false
             */
            undo?: boolean;
        };
        /**
         * ExamReport
         * @description What came of a run. `changed` names what is not as in the run before: version, model, config, budget.
         */
        ExamReport: {
            /** At */
            at: string;
            /** Version */
            version: string;
            /** Model */
            model: string | null;
            /** Config */
            config: string;
            /** Only */
            only: ("find" | "must-cite" | "conflict" | "unanswerable" | "planted" | "vault") | null;
            /** Budget */
            budget: number;
            /**
             * Last
             * @description When the run was that this one is compared with.
             */
            last: string | null;
            /** Changed */
            changed: string[];
            questions: components["schemas"]["ExamCounts"];
            /** Figures */
            figures: components["schemas"]["ExamFigure"][];
            memory: components["schemas"]["ExamMemory"] | null;
            /** Corrections Per Week */
            corrections_per_week: number | null;
            /**
             * Tokens
             * @description Mean tokens a question: `tokens` and `tokens_newest`.
             */
            tokens: {
                [key: string]: number | null;
            };
            /**
             * Latency
             * @description p50, p95 and p99 in ms of each step.
             */
            latency: {
                [key: string]: {
                    [key: string]: number | null;
                };
            };
            /** Failures */
            failures: components["schemas"]["ExamFailure"][];
            /** Failure Count */
            failure_count: number;
            /** Problems */
            problems: components["schemas"]["ExamProblem"][];
            /** Notices */
            notices: components["schemas"]["ExamNotice"][];
            /** Trend */
            trend: components["schemas"]["ExamRun"][];
            /**
             * Kept
             * @description The file of the memory folder that has the result; null: not kept.
             */
            kept: string | null;
        };
        /**
         * ExamRequest
         * @description POST /v1/exam.
         */
        ExamRequest: {
            /**
             * Only
             * @description Only this kind of own questions, the planted ones, or the vault's figures.
             */
            only?: ("find" | "must-cite" | "conflict" | "unanswerable" | "planted" | "vault") | null;
            /**
             * Budget
             * @description Tokens a question may take; default: recall.budget.
             */
            budget?: number | null;
            /**
             * Keep
             * @description Add the result to Memory/exam-results; nothing else is ever written.
             * @default true
             */
            keep?: boolean;
        };
        /**
         * ExamRun
         * @description A run as it is kept: its shares by name.
         */
        ExamRun: {
            /** At */
            at: string;
            /** Version */
            version: string;
            /** Model */
            model: string | null;
            /** Only */
            only: string | null;
            /** Figures */
            figures: {
                [key: string]: number;
            };
        };
        /**
         * ExamRunsResponse
         * @description GET /v1/exam: the last runs, oldest first.
         */
        ExamRunsResponse: {
            /**
             * Kinds
             * @description Every share that a run may have, in the order of a report.
             */
            kinds: components["schemas"]["ExamKind"][];
            /** Runs */
            runs: components["schemas"]["ExamRun"][];
            /** Total */
            total: number;
        };
        /**
         * ExplainRequest
         * @description POST /v1/explain: why (not) this note for this question, asked as a recall with the same fields.
         *
         *     With `near` nobody asked: it is explained for GET /v1/related of that note, and `query`, layer, scope and day do not count.
         */
        ExplainRequest: {
            /** Query */
            query: string;
            /**
             * Near
             * @description The note that was looked at, instead of a question.
             */
            near?: string | null;
            /**
             * Unlinked
             * @description With `near`: what it links to or is linked from was left out.
             * @default false
             */
            unlinked?: boolean;
            /** Note */
            note: string;
            /** Type */
            type?: string | null;
            /** Layer */
            layer?: ("semantic" | "episodic" | "procedural" | "concept" | "working") | null;
            /** Scope */
            scope?: string | null;
            /** As Of */
            as_of?: string | null;
            /** Budget */
            budget?: number | null;
            /** Include */
            include?: ("stale" | "archived" | "frozen" | "quarantined" | "conversations")[];
            /** Limit */
            limit?: number | null;
            /**
             * Lang
             * @description Language of the steps and reasons; null: that of the question.
             */
            lang?: ("zh" | "en") | null;
        };
        /**
         * ExplainResponse
         * @description POST /v1/explain.
         */
        ExplainResponse: {
            /** Query */
            query: string;
            /** Note */
            note: string;
            /**
             * Found
             * @description Among the ranked notes.
             */
            found: boolean;
            /**
             * Rank
             * @description From 1, before the budget.
             */
            rank: number | null;
            /**
             * Returned
             * @description Among the items of the answer.
             */
            returned: boolean;
            /**
             * Reason
             * @description The verdict in one sentence.
             */
            reason: string;
            /** Steps */
            steps: components["schemas"]["ExplainStep"][];
            /**
             * Items
             * @description What this note offers for the question, best first.
             */
            items: components["schemas"]["RecallItem"][];
        };
        /**
         * ExplainStep
         * @description One stage of recall and what it made of the note.
         */
        ExplainStep: {
            /** Step */
            step: string;
            /**
             * Title
             * @description The step's name in words, in the language of the answer.
             */
            title: string;
            /** Passed */
            passed: boolean;
            /** Message */
            message: string;
        };
        /**
         * FactResponse
         * @description GET /v1/facts/{id}: the fact and every revision that touched it, oldest first (formats.md 4).
         */
        FactResponse: {
            fact: components["schemas"]["FactView"];
            /** History */
            history: {
                [key: string]: unknown;
            }[];
        };
        /**
         * FactView
         * @description A fact as the API shows it: the record, the layer of its type, and where it stands in its life.
         */
        FactView: {
            /** Id */
            id: string;
            /** Fact */
            fact: string;
            /** Source */
            source: string;
            /** Line */
            line: number;
            /** Quote */
            quote: string;
            /** Note Hash */
            note_hash: string;
            /**
             * Type
             * @enum {string}
             */
            type: "decision" | "preference" | "constraint" | "procedure" | "lesson" | "metric" | "definition" | "event" | "state" | "relation" | "plan";
            /** Recorded At */
            recorded_at: string;
            /** Heading */
            heading: string | null;
            /**
             * Source Kind
             * @enum {string}
             */
            source_kind: "note" | "conversation" | "external";
            /** Tags */
            tags: string[];
            /** Created At */
            created_at: string | null;
            /** Precision */
            precision: ("day" | "month" | "year") | null;
            /** Verified At */
            verified_at: string | null;
            /** Subject */
            subject: string | null;
            /** Attribute */
            attribute: string | null;
            /** Value */
            value: string | null;
            /** Unit */
            unit: string | null;
            /** Valid From */
            valid_from: string | null;
            /** Valid To */
            valid_to: string | null;
            /**
             * Origin
             * @enum {string}
             */
            origin: "observed" | "derived" | "agent";
            /** Confidence */
            confidence: number;
            /** Importance */
            importance: number;
            /**
             * Scope
             * @enum {string}
             */
            scope: "user" | "project" | "temporary" | "observation";
            /** Project */
            project: string | null;
            /**
             * Frame
             * @enum {string}
             */
            frame: "current" | "historical" | "change" | "plan";
            /** Trigger */
            trigger: string;
            /** Action */
            action: string | null;
            /** Why */
            why: string | null;
            /** Because */
            because: string | null;
            /** Evidence */
            evidence: components["schemas"]["EvidenceRecord"][];
            /** Related */
            related: {
                [key: string]: unknown;
            }[];
            /** Expires At */
            expires_at: string | null;
            /** Review At */
            review_at: string | null;
            /** Extractor */
            extractor: string;
            /** Private */
            private: boolean;
            /**
             * Held
             * @description Why a gate holds it back as a candidate.
             */
            held?: string | null;
            /**
             * Layer
             * @enum {string}
             */
            layer: "semantic" | "episodic" | "procedural" | "concept" | "working";
            /**
             * State
             * @enum {string}
             */
            state: "candidate" | "active" | "stale" | "archived" | "quarantined";
            temperature: components["schemas"]["Temperature"] | null;
            /**
             * Superseded By
             * @description The fact that took its place.
             */
            superseded_by: string | null;
            /** Merged Into */
            merged_into: string | null;
            /**
             * Disputes
             * @description Facts that say otherwise, undecided.
             */
            disputes: string[];
            /**
             * Expired
             * @description Its time is up: whether it still holds is asked.
             */
            expired: boolean;
            /** Pinned */
            pinned: boolean;
            /** Frozen */
            frozen: boolean;
            /** Forgotten */
            forgotten: boolean;
            /** Refused */
            refused: boolean;
        };
        /**
         * FactsResponse
         * @description GET /v1/facts, by id. `next` goes into `after` for the next page; null on the last one.
         */
        FactsResponse: {
            /** Facts */
            facts: components["schemas"]["FactView"][];
            /**
             * Refused
             * @description Instead of the facts, when asked for.
             */
            refused: components["schemas"]["RefusedFact"][];
            /**
             * Counts
             * @description Of all that was refused or is held in the vault: gate, code, how many.
             */
            counts: {
                [key: string]: {
                    [key: string]: number;
                };
            };
            /** Total */
            total: number;
            /** Next */
            next: string | null;
        };
        /**
         * HeadingInfo
         * @description A heading of a note.
         */
        HeadingInfo: {
            /** Text */
            text: string;
            /** Level */
            level: number;
            /** Offset */
            offset: number;
            /** Line */
            line: number;
        };
        /**
         * HealthDay
         * @description A day of the trend: its figures by name, the records of each layer that were counted, and what the night came to.
         */
        HealthDay: {
            /** Day */
            day: string;
            /** Figures */
            figures: {
                [key: string]: number | null;
            };
            /** Layers */
            layers: {
                [key: string]: number;
            };
            night: components["schemas"]["HealthNight"] | null;
            spent: components["schemas"]["HealthSpent"] | null;
        };
        /**
         * HealthFigure
         * @description A figure: a share (`k` of `n`), a number, or a count. null where it is not defined; then `why` says why.
         */
        HealthFigure: {
            /** Name */
            name: string;
            /** Title */
            title: string;
            /** Title Zh */
            title_zh: string;
            /**
             * Unit
             * @enum {string}
             */
            unit: "share" | "number" | "count";
            /** Value */
            value: number | null;
            /** K */
            k: number | null;
            /** N */
            n: number | null;
            /** Why */
            why: string | null;
            /** Why Zh */
            why_zh: string | null;
            /** @description Against the last day before it. */
            last: components["schemas"]["HealthMove"] | null;
            /** @description Against 30 days before it. */
            month: components["schemas"]["HealthMove"] | null;
        };
        /**
         * HealthJobResponse
         * @description POST /v1/health; then GET /v1/jobs/{id} until it is done.
         */
        HealthJobResponse: {
            /** Id */
            id: string;
            /** What */
            what: string;
            /**
             * State
             * @enum {string}
             */
            state: "queued" | "running" | "done" | "failed";
            progress: components["schemas"]["Progress"];
            /**
             * Message
             * @description Why it failed, else empty.
             */
            message: string;
            /** Started */
            started: string | null;
            /** Finished */
            finished: string | null;
            /** @description What came of it, once it is done. */
            result: components["schemas"]["HealthResponse"] | null;
        };
        /**
         * HealthLayer
         * @description Records of a layer. `week`: more or fewer than a week ago, null if nothing is known of then; `why`: why it is empty.
         */
        HealthLayer: {
            /** Layer */
            layer: string;
            /** Records */
            records: number;
            /** Week */
            week: number | null;
            /** Why */
            why: string | null;
            /** Why Zh */
            why_zh: string | null;
        };
        /**
         * HealthMove
         * @description How a figure stood on an earlier day, and which way it moved since.
         */
        HealthMove: {
            /** Day */
            day: string;
            /** Value */
            value: number;
            /** By */
            by: number;
            /**
             * Verdict
             * @enum {string}
             */
            verdict: "better" | "worse" | "same" | "neither";
        };
        /**
         * HealthNight
         * @description What a night looked at, and how many candidates came to each outcome.
         */
        HealthNight: {
            /** Processed */
            processed: number;
            /** Candidates */
            candidates: number;
            /** Promote */
            promote: number;
            /** Associate */
            associate: number;
            /** Compress */
            compress: number;
            /** Release */
            release: number;
        };
        /**
         * HealthRequest
         * @description POST /v1/health.
         */
        HealthRequest: {
            /**
             * Keep
             * @description Keep the day's line in Memory/health; nothing else is written.
             * @default true
             */
            keep?: boolean;
        };
        /**
         * HealthResponse
         * @description GET /v1/health: the figures as they were last computed, `age_seconds` ago; null and empty before the first time.
         */
        HealthResponse: {
            /** Day */
            day: string | null;
            /** At */
            at: string | null;
            /** Age Seconds */
            age_seconds: number | null;
            /** Version */
            version: string | null;
            /** Figures */
            figures: components["schemas"]["HealthFigure"][];
            /** Layers */
            layers: components["schemas"]["HealthLayer"][];
            night: components["schemas"]["HealthNight"] | null;
            /**
             * Taken
             * @description Share of candidates that were promoted or associated, where enough were judged.
             */
            taken: number | null;
            /** Warnings */
            warnings: components["schemas"]["HealthWarning"][];
            /** @description Of that day; null where no model can be asked. */
            spent: components["schemas"]["HealthSpent"] | null;
            /** Trend */
            trend: components["schemas"]["HealthDay"][];
            /**
             * Report
             * @description The latest report.
             */
            report: string | null;
            /**
             * Kept
             * @description The file that a computation was kept in; null: none was, or it is not kept.
             */
            kept: string | null;
            /** Hint */
            hint: string | null;
            /** Hint Zh */
            hint_zh: string | null;
        };
        /**
         * HealthSpent
         * @description What asking a model cost on a day. `money` counts models with a price; a cap of 0 is none.
         */
        HealthSpent: {
            /** Requests */
            requests: number;
            /** Tokens */
            tokens: number;
            /** Money */
            money: number;
            /** Cap Tokens */
            cap_tokens: number;
            /** Cap Money */
            cap_money: number;
        };
        /**
         * HealthWarning
         * @description Something that a person should look at.
         */
        HealthWarning: {
            /** Code */
            code: string;
            /** Text */
            text: string;
            /** Text Zh */
            text_zh: string;
        };
        /**
         * IgnoredUse
         * @description A use that was not taken down, and why.
         */
        IgnoredUse: {
            /** Id */
            id: string;
            /** Reason */
            reason: string;
        };
        /**
         * JobResponse
         * @description POST /v1/rebuild and GET /v1/jobs/{id}.
         */
        JobResponse: {
            /** Id */
            id: string;
            /** What */
            what: string;
            /**
             * State
             * @enum {string}
             */
            state: "queued" | "running" | "done" | "failed";
            progress: components["schemas"]["Progress"];
            /**
             * Message
             * @description Why it failed, else empty.
             */
            message: string;
            /** Started */
            started: string | null;
            /** Finished */
            finished: string | null;
            /**
             * Result
             * @description What came of it, where something did; see who started it.
             */
            result: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * LinkRecord
         * @description A line of links.jsonl, formats.md 3.
         */
        LinkRecord: {
            /** Source */
            source: string;
            /** From */
            from: string;
            /** Target */
            target: string | null;
            /** Type */
            type: string;
            /**
             * Weight
             * @enum {string}
             */
            weight: "strong" | "weak";
            /** Raw */
            raw: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "wikilink" | "embed" | "markdown" | "frontmatter" | "inline-field" | "canvas";
            /** Relation */
            relation: string | null;
            /** Declared */
            declared: boolean;
            /** Confidence */
            confidence: number;
            /** Heading */
            heading: string | null;
            /** Block */
            block: string | null;
            /** Alias */
            alias: string | null;
            /** Offset */
            offset: number;
            /** Line */
            line: number;
            /** Column */
            column: number;
            /** Snippet */
            snippet: string;
            /** Ambiguous */
            ambiguous: boolean;
            /** Native */
            native: boolean;
        };
        /**
         * LinkStats
         * @description How far links resolve and say what they mean. Shares are from 0 to 1.
         */
        LinkStats: {
            /** Edges */
            edges: number;
            /** Resolved */
            resolved: number;
            /** Resolved Share */
            resolved_share: number;
            /** By Type */
            by_type: {
                [key: string]: number;
            };
            by_origin: components["schemas"]["Origins"];
            /**
             * Typed
             * @description Edges of another type than `mentioned`.
             */
            typed: number;
            /** Typed Share */
            typed_share: number;
            /** Notes */
            notes: number;
            /**
             * Notes Typed
             * @description Notes at either end of such an edge.
             */
            notes_typed: number;
            /** Notes Typed Share */
            notes_typed_share: number;
        };
        /**
         * LinkView
         * @description An edge with what is the matter with it; `near`, `others` and `missing` are filled when they are asked for.
         */
        LinkView: {
            /** Source */
            source: string;
            /** From */
            from: string;
            /** Target */
            target: string | null;
            /** Type */
            type: string;
            /**
             * Weight
             * @enum {string}
             */
            weight: "strong" | "weak";
            /** Raw */
            raw: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "wikilink" | "embed" | "markdown" | "frontmatter" | "inline-field" | "canvas";
            /** Relation */
            relation: string | null;
            /** Declared */
            declared: boolean;
            /** Confidence */
            confidence: number;
            /** Heading */
            heading: string | null;
            /** Block */
            block: string | null;
            /** Alias */
            alias: string | null;
            /** Offset */
            offset: number;
            /** Line */
            line: number;
            /** Column */
            column: number;
            /** Snippet */
            snippet: string;
            /** Ambiguous */
            ambiguous: boolean;
            /** Native */
            native: boolean;
            /**
             * Near
             * @description Of unresolved links names, of broken anchors headings or blocks: three at most.
             */
            near: components["schemas"]["NearName"][];
            /**
             * Others
             * @description Of ambiguous links the other files, in the order in which they would be taken.
             */
            others: string[];
            /**
             * Missing
             * @description Of broken anchors what the target does not have, with its `#` or `#^`.
             */
            missing: string | null;
        };
        /**
         * LinksResponse
         * @description GET /v1/links, by source and place; counts are of all that matched, not of this page. `next` goes into `after`.
         */
        LinksResponse: {
            /** Links */
            links: components["schemas"]["LinkView"][];
            /** Total */
            total: number;
            /** Unresolved */
            unresolved: number;
            /** Ambiguous */
            ambiguous: number;
            /** Orphans */
            orphans: components["schemas"]["Orphan"][];
            /** @description Null unless `orphans` was asked for. */
            orphan_counts: components["schemas"]["OrphanCounts"] | null;
            /** @description Null unless it was asked for. */
            stats: components["schemas"]["LinkStats"] | null;
            /** Next */
            next: string | null;
        };
        /**
         * ModelInfo
         * @description The embedding model. Without it everything works by keyword; `message` says what is the matter.
         */
        ModelInfo: {
            /** Name */
            name: string;
            /** Fingerprint */
            fingerprint: string | null;
            /**
             * State
             * @enum {string}
             */
            state: "ready" | "preparing" | "missing" | "failed" | "off";
            /** Message */
            message: string;
        };
        /**
         * NearName
         * @description What a link may have meant: a suggestion, never a resolution.
         */
        NearName: {
            /**
             * Name
             * @description As it is spelled there: a name without its ending, a title, an alias, a heading, a block id.
             */
            name: string;
            /** Path */
            path: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "file" | "title" | "alias" | "heading" | "block";
            /**
             * Nearness
             * @description 1 for the same but for its form or folder, from 0.75 for a slip.
             */
            nearness: number;
            /**
             * How
             * @description moved: in another folder; form: other case, spaces, punctuation or script.
             * @enum {string}
             */
            how: "moved" | "form" | "plural" | "typo";
        };
        /**
         * NearNote
         * @description A note that is near a question that nothing answers; not verified.
         */
        NearNote: {
            /** Note */
            note: string;
            /** Title */
            title: string;
        };
        /**
         * NoteEntry
         * @description What became of one note; `reason` says why it was skipped or failed, else it is null.
         */
        NoteEntry: {
            /** Path */
            path: string;
            /** Id */
            id: string | null;
            /** Title */
            title: string;
            /**
             * Status
             * @enum {string}
             */
            status: "indexed" | "pending" | "skipped" | "failed";
            /** Reason */
            reason: string | null;
            /** Passages */
            passages: number;
            /** Facts */
            facts: number;
            /** Links */
            links: number;
        };
        /**
         * NoteReason
         * @description How many notes were skipped, have failed or are passed over (templates) for a reason.
         */
        NoteReason: {
            /**
             * Status
             * @enum {string}
             */
            status: "indexed" | "pending" | "skipped" | "failed";
            /** Reason */
            reason: string;
            /** Notes */
            notes: number;
        };
        /**
         * NoteResponse
         * @description GET /v1/notes/{path}: the note as Ebbtide read it.
         */
        NoteResponse: {
            /** Path */
            path: string;
            /** Id */
            id: string | null;
            /** Title */
            title: string;
            /**
             * Status
             * @enum {string}
             */
            status: "indexed" | "pending" | "skipped" | "failed";
            /** Reason */
            reason: string | null;
            /** Digest */
            digest: string | null;
            /** Properties */
            properties: {
                [key: string]: unknown;
            };
            /** Aliases */
            aliases: string[];
            /** Tags */
            tags: components["schemas"]["TagInfo"][];
            /** Headings */
            headings: components["schemas"]["HeadingInfo"][];
            /** Blocks */
            blocks: components["schemas"]["BlockInfo"][];
            /** Passages */
            passages: components["schemas"]["PassageInfo"][];
            /** Facts */
            facts: components["schemas"]["FactView"][];
            /**
             * Links
             * @description Edges written in this note.
             */
            links: components["schemas"]["LinkRecord"][];
            /**
             * Backlinks
             * @description Edges that reach it from elsewhere.
             */
            backlinks: components["schemas"]["LinkRecord"][];
            /** Problems */
            problems: components["schemas"]["ProblemInfo"][];
        };
        /**
         * NoteStanding
         * @description Where a note stands after a ruling on it.
         */
        NoteStanding: {
            /** Id */
            id: string;
            /** Path */
            path: string;
            /**
             * State
             * @enum {string}
             */
            state: "candidate" | "active" | "stale" | "archived" | "quarantined";
            /** Pinned */
            pinned: boolean;
            /** Frozen */
            frozen: boolean;
            /** Forgotten */
            forgotten: boolean;
            /** Refused */
            refused: boolean;
        };
        /**
         * NotesResponse
         * @description GET /v1/notes, by path. `total` and `reasons` are of those asked for, `counts` of all notes by status.
         */
        NotesResponse: {
            /** Notes */
            notes: components["schemas"]["NoteEntry"][];
            /** Total */
            total: number;
            /** Counts */
            counts: {
                [key: string]: number;
            };
            /**
             * Reasons
             * @description The most frequent first, at most 100.
             */
            reasons: components["schemas"]["NoteReason"][];
        };
        /**
         * Origins
         * @description Edges by where they come from: `property`, `field` and `canvas` are declared, `prose` is read from a sentence.
         */
        Origins: {
            /** Property */
            property: number;
            /** Field */
            field: number;
            /** Canvas */
            canvas: number;
            /** Prose */
            prose: number;
            /** Mention */
            mention: number;
        };
        /**
         * Orphan
         * @description A file that no resolved link connects with another one.
         */
        Orphan: {
            /** Path */
            path: string;
            /** Title */
            title: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "note" | "board" | "attachment";
        };
        /**
         * OrphanCounts
         * @description How many there are in all.
         */
        OrphanCounts: {
            /** Note */
            note: number;
            /** Board */
            board: number;
            /** Attachment */
            attachment: number;
        };
        /**
         * OtherSide
         * @description A fact that says otherwise, where its note states it.
         */
        OtherSide: {
            /** Id */
            id: string;
            /** Note */
            note: string;
            /** Line */
            line: number;
            /** Column */
            column: number;
            /** Quote */
            quote: string;
            /** As Of */
            as_of: string | null;
        };
        /**
         * Parts
         * @description What the score is made of (algorithms.md B). Null: this version does not use that part.
         */
        Parts: {
            /**
             * Channels
             * @description keyword, vector, graph, recent: only those that found it.
             */
            channels: {
                [key: string]: components["schemas"]["Channel"];
            };
            /**
             * R
             * @description Relevance, 0 to 1.
             */
            R: number;
            /**
             * F
             * @description Freshness.
             */
            F: number | null;
            /**
             * I
             * @description Importance.
             */
            I: number | null;
            /**
             * W
             * @description Weight of the temperature.
             */
            W: number | null;
            /**
             * B
             * @description Reward of confirmed uses.
             */
            B: number | null;
            /**
             * Gate
             * @description Frame gate: 0 withdraws the reward.
             */
            gate: number | null;
            /**
             * Lapse
             * @description Share of the score that is left to what has ended; 1 for what holds.
             */
            lapse: number | null;
        };
        /**
         * PassageInfo
         * @description A passage as it is indexed: text from `start` to `end` of the note.
         */
        PassageInfo: {
            /** Id */
            id: string;
            /**
             * Heading
             * @description The headings above it, joined.
             */
            heading: string | null;
            /** Line */
            line: number;
            /** Start */
            start: number;
            /** End */
            end: number;
            /** Text */
            text: string;
        };
        /**
         * PauseRequest
         * @description POST /v1/pause; without minutes until `resume`.
         */
        PauseRequest: {
            /** Minutes */
            minutes?: number | null;
        };
        /**
         * PauseResponse
         * @description POST /v1/pause and /v1/resume.
         */
        PauseResponse: {
            /**
             * State
             * @enum {string}
             */
            state: "starting" | "indexing" | "ready" | "paused" | "degraded";
            /** Paused Until */
            paused_until: string | null;
        };
        /**
         * ProblemInfo
         * @description Something in a user's file that is not as it should be; memory.errors.Problem.
         */
        ProblemInfo: {
            /** Path */
            path: string;
            /** Line */
            line: number | null;
            /** Code */
            code: string;
            /** Message */
            message: string;
            /** Fix */
            fix: string;
            /**
             * Severity
             * @enum {string}
             */
            severity: "info" | "warning" | "error";
        };
        /**
         * Progress
         * @description How far the present work is; `idle` with 0 of 0 when there is none.
         */
        Progress: {
            /**
             * Phase
             * @description idle, scan, parse, keyword, links, facts, model or vectors.
             */
            phase: string;
            /** Done */
            done: number;
            /** Total */
            total: number;
            /** Eta Seconds */
            eta_seconds: number | null;
        };
        /**
         * RebuildRequest
         * @description POST /v1/rebuild.
         */
        RebuildRequest: {
            /**
             * What
             * @default all
             * @enum {string}
             */
            what?: "text" | "vectors" | "links" | "facts" | "all";
        };
        /**
         * RecallItem
         * @description One memory, with the place it comes from and the reasons it is here.
         */
        RecallItem: {
            /** Id */
            id: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "fact" | "passage" | "episode" | "core" | "concept" | "working";
            /**
             * Layer
             * @enum {string}
             */
            layer: "semantic" | "episodic" | "procedural" | "concept" | "working";
            /** Text */
            text: string;
            /**
             * Inject
             * @description The form for an agent: "when ..., do ..." with its citation, what disputes it or took its place, its chain.
             */
            inject: string;
            /** Note */
            note: string;
            /** Line */
            line: number;
            /** Column */
            column: number;
            /** Quote */
            quote: string;
            /** Heading */
            heading: string | null;
            /** Type */
            type: string;
            /**
             * State
             * @enum {string}
             */
            state: "candidate" | "active" | "stale" | "archived" | "quarantined";
            /**
             * Disputed With
             * @description Facts that say otherwise: in this answer too or, of a passage, told in `inject`.
             */
            disputed_with: string[];
            /**
             * Against
             * @description Those of `disputed_with` as their notes state them now.
             */
            against: components["schemas"]["OtherSide"][];
            /** Superseded By */
            superseded_by: string | null;
            /**
             * Frame
             * @description What time it tells of; historical too where its note tells of what ended. Null: a passage that was not read for it.
             */
            frame: ("current" | "historical" | "change" | "plan") | null;
            temperature: components["schemas"]["Temperature"] | null;
            /** Score */
            score: number;
            /**
             * Why
             * @description Sentences a person reads, in the language asked for, else that of the question.
             */
            why: string[];
            parts: components["schemas"]["Parts"];
            /** Chain */
            chain: components["schemas"]["ChainStep"][];
            /**
             * As Of
             * @description The day the claim was made, as far as known.
             */
            as_of: string | null;
            /**
             * Tokens
             * @description Of `inject` with the line break behind it.
             */
            tokens: number;
            /**
             * Lead
             * @description Confidence below 0.5: shown as a lead, never injected.
             */
            lead: boolean;
        };
        /**
         * RecallRequest
         * @description POST /v1/recall.
         */
        RecallRequest: {
            /**
             * Query
             * @description The question, in any language; never read as syntax.
             */
            query: string;
            /**
             * Type
             * @description Only this type of memory (decision, lesson, ...).
             */
            type?: string | null;
            /**
             * Layer
             * @description Only memories of this layer.
             */
            layer?: ("semantic" | "episodic" | "procedural" | "concept" | "working") | null;
            /**
             * Scope
             * @description Only notes in this folder.
             */
            scope?: string | null;
            /**
             * As Of
             * @description Answer as on that day; records dated later are hidden.
             */
            as_of?: string | null;
            /**
             * Budget
             * @description Tokens the items may take together.
             */
            budget?: number | null;
            /**
             * Include
             * @description States that are hidden unless asked for.
             */
            include?: ("stale" | "archived" | "frozen" | "quarantined" | "conversations")[];
            /**
             * Explain
             * @description Fill `parts` and the reasons of what was left out.
             * @default false
             */
            explain?: boolean;
            /**
             * Limit
             * @description At most so many items.
             */
            limit?: number | null;
            /**
             * Lang
             * @description Language of the reasons; null: that of the question.
             */
            lang?: ("zh" | "en") | null;
        };
        /**
         * RecallResponse
         * @description POST /v1/recall.
         */
        RecallResponse: {
            /** Items */
            items: components["schemas"]["RecallItem"][];
            /**
             * Notes
             * @description Distinct paths, best first, before the budget.
             */
            notes: string[];
            route: components["schemas"]["Route"];
            /**
             * Frame
             * @enum {string}
             */
            frame: "current" | "historical" | "change" | "plan";
            /** Budget */
            budget: number;
            /**
             * Tokens
             * @description Of the items together; never more than the budget.
             */
            tokens: number;
            /**
             * Counted
             * @description How: by the tokenizer of the embedding model or, without one, by estimate.
             * @enum {string}
             */
            counted: "tokenizer" | "estimate";
            /**
             * Ms
             * @description By step; `total` is the whole.
             */
            ms: {
                [key: string]: number;
            };
            /** Skipped */
            skipped: components["schemas"]["Skipped"][];
            /**
             * Hidden
             * @description Matches left out, by state.
             */
            hidden: {
                [key: string]: number;
            };
            /** Abstained */
            abstained: boolean;
            /**
             * Empty Reason
             * @description One sentence when there are no items, else null.
             */
            empty_reason: string | null;
        };
        /**
         * RefusedFact
         * @description A candidate that a gate refused or holds back, and why.
         */
        RefusedFact: {
            /** Note */
            note: string;
            /**
             * Outcome
             * @description refuse or hold.
             */
            outcome: string;
            /** Gate */
            gate: string;
            /** Code */
            code: string;
            /** Reason */
            reason: string;
            /**
             * Fact
             * @description The candidate, as it would have stood in facts.jsonl.
             */
            fact: {
                [key: string]: unknown;
            };
        };
        /**
         * RelatedItem
         * @description A memory near a note.
         */
        RelatedItem: {
            /** Id */
            id: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "fact" | "passage" | "episode" | "core" | "concept" | "working";
            /**
             * Layer
             * @enum {string}
             */
            layer: "semantic" | "episodic" | "procedural" | "concept" | "working";
            /** Text */
            text: string;
            /**
             * Inject
             * @description The form for an agent: "when ..., do ..." with its citation, what disputes it or took its place, its chain.
             */
            inject: string;
            /** Note */
            note: string;
            /** Line */
            line: number;
            /** Column */
            column: number;
            /** Quote */
            quote: string;
            /** Heading */
            heading: string | null;
            /** Type */
            type: string;
            /**
             * State
             * @enum {string}
             */
            state: "candidate" | "active" | "stale" | "archived" | "quarantined";
            /**
             * Disputed With
             * @description Facts that say otherwise: in this answer too or, of a passage, told in `inject`.
             */
            disputed_with: string[];
            /**
             * Against
             * @description Those of `disputed_with` as their notes state them now.
             */
            against: components["schemas"]["OtherSide"][];
            /** Superseded By */
            superseded_by: string | null;
            /**
             * Frame
             * @description What time it tells of; historical too where its note tells of what ended. Null: a passage that was not read for it.
             */
            frame: ("current" | "historical" | "change" | "plan") | null;
            temperature: components["schemas"]["Temperature"] | null;
            /** Score */
            score: number;
            /**
             * Why
             * @description Sentences a person reads, in the language asked for, else that of the question.
             */
            why: string[];
            parts: components["schemas"]["Parts"];
            /** Chain */
            chain: components["schemas"]["ChainStep"][];
            /**
             * As Of
             * @description The day the claim was made, as far as known.
             */
            as_of: string | null;
            /**
             * Tokens
             * @description Of `inject` with the line break behind it.
             */
            tokens: number;
            /**
             * Lead
             * @description Confidence below 0.5: shown as a lead, never injected.
             */
            lead: boolean;
            /** Title */
            title: string;
            /**
             * Linked
             * @description A link leads from one note to the other.
             */
            linked: boolean;
        };
        /**
         * RelatedResponse
         * @description GET /v1/related.
         */
        RelatedResponse: {
            /** Note */
            note: string;
            /**
             * Items
             * @description Never of the note itself.
             */
            items: components["schemas"]["RelatedItem"][];
            /**
             * Notes
             * @description Distinct paths, best first, before the budget.
             */
            notes: string[];
            /** Budget */
            budget: number;
            /**
             * Tokens
             * @description Of the items together; never more than the budget.
             */
            tokens: number;
            /**
             * Counted
             * @enum {string}
             */
            counted: "tokenizer" | "estimate";
            /** Ms */
            ms: {
                [key: string]: number;
            };
            /** Skipped */
            skipped: components["schemas"]["Skipped"][];
            /**
             * Hidden
             * @description Matches left out, by state.
             */
            hidden: {
                [key: string]: number;
            };
            /** Empty Reason */
            empty_reason: string | null;
        };
        /**
         * ResumeRequest
         * @description POST /v1/resume takes an empty object.
         */
        ResumeRequest: Record<string, never>;
        /**
         * Review
         * @description An open question. Of a dispute the first side (a) is the older one.
         */
        Review: {
            /** Id */
            id: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "lines" | "dispute" | "wrong" | "expired" | "held" | "quarantined" | "merge" | "missing-result";
            /** Since */
            since: string | null;
            /** Question */
            question: string;
            /**
             * Why
             * @description Why it came up, if that is known.
             */
            why: string | null;
            /**
             * Lang
             * @enum {string}
             */
            lang: "zh" | "en";
            /** Sides */
            sides: components["schemas"]["ReviewSide"][];
            /** Choices */
            choices: components["schemas"]["Choice"][];
        };
        /**
         * ReviewSide
         * @description One of the facts that a question is about.
         */
        ReviewSide: {
            /** Id */
            id: string;
            /** Fact */
            fact: string;
            /** Note */
            note: string;
            /** Line */
            line: number;
            /** Quote */
            quote: string;
            /**
             * Date
             * @description When it was said, else from when it holds.
             */
            date: string | null;
            /**
             * State
             * @enum {string}
             */
            state: "candidate" | "active" | "stale" | "archived" | "quarantined";
            /** Private */
            private: boolean;
        };
        /**
         * ReviewsResponse
         * @description GET /v1/reviews, the most pressing kind first, then the oldest. At most 1,000 of a kind are looked at and counted.
         */
        ReviewsResponse: {
            /** Reviews */
            reviews: components["schemas"]["Review"][];
            /** Counts */
            counts: {
                [key: string]: number;
            };
            /** Total */
            total: number;
            /** Next */
            next: string | null;
        };
        /**
         * RevisedResponse
         * @description What a change of mind came to: the revisions made (the first one leads, undo takes it) and how the records stand now.
         */
        RevisedResponse: {
            /**
             * Revisions
             * @description As in revisions/<device>.jsonl; formats.md 4.
             */
            revisions: {
                [key: string]: unknown;
            }[];
            /**
             * Undone
             * @description The revision that was taken back, if it was an undo.
             */
            undone: string | null;
            /** Facts */
            facts: components["schemas"]["FactView"][];
            /** Notes */
            notes: components["schemas"]["NoteStanding"][];
            /**
             * Absent
             * @description Facts concerned that no note says any more.
             */
            absent: string[];
        };
        /**
         * RevisionsResponse
         * @description GET /v1/revisions, newest first. Each with `undone`, and `parts`: how many others were made with it.
         */
        RevisionsResponse: {
            /** Revisions */
            revisions: {
                [key: string]: unknown;
            }[];
        };
        /**
         * Route
         * @description What kind of memory the question seems to want.
         */
        Route: {
            /** Type */
            type: string | null;
            /** Layer */
            layer: ("semantic" | "episodic" | "procedural" | "concept" | "working") | null;
            /**
             * Explicit
             * @description Asked for by the client, so it filters; otherwise guessed, so it only weighs (unless `recall.route` is filter).
             */
            explicit: boolean;
        };
        /**
         * RulingRequest
         * @description POST /v1/reviews/{id}/ruling: one of the question's `choices`.
         */
        RulingRequest: {
            /**
             * Ruling
             * @enum {string}
             */
            ruling: "keep_a" | "keep_b" | "both" | "merge" | "still_true" | "archive" | "accept" | "refuse" | "clear" | "forget" | "bring_back" | "keep_file" | "later";
            /**
             * Why
             * @description The reason, kept with the revision.
             * @default
             */
            why?: string;
            /**
             * Client
             * @description Who acts, if it is an agent; null: a person.
             */
            client?: string | null;
        };
        /**
         * SaidPart
         * @description A part of an episode as its note says it.
         */
        SaidPart: {
            /**
             * Text
             * @description In plain words.
             */
            text: string;
            /**
             * Line
             * @description Where the quote begins; for a property its line.
             */
            line: number;
            /**
             * Quote
             * @description Verbatim from the note.
             */
            quote: string;
        };
        /**
         * Skipped
         * @description A step that was left out or cut short, and why.
         */
        Skipped: {
            /** Step */
            step: string;
            /** Why */
            why: string;
        };
        /**
         * SleepHygiene
         * @description What the hygiene of a night comes to.
         */
        SleepHygiene: {
            /**
             * Asked
             * @description Questions of the check-up, for the review queue.
             */
            asked: number;
            /**
             * Moved
             * @description Working notes whose time has passed.
             */
            moved: number;
            /**
             * Episodes
             * @description Of these, that became an episode.
             */
            episodes: number;
            /**
             * Set Aside
             * @description Facts and memories of doubtful sources.
             */
            set_aside: number;
        };
        /**
         * SleepJobResponse
         * @description POST /v1/sleep; then GET /v1/jobs/{id} until it is done.
         */
        SleepJobResponse: {
            /** Id */
            id: string;
            /** What */
            what: string;
            /**
             * State
             * @enum {string}
             */
            state: "queued" | "running" | "done" | "failed";
            progress: components["schemas"]["Progress"];
            /**
             * Message
             * @description Why it failed, else empty.
             */
            message: string;
            /** Started */
            started: string | null;
            /** Finished */
            finished: string | null;
            /** @description What came of it, once it is done. */
            result: components["schemas"]["SleepResult"] | null;
        };
        /**
         * SleepJudged
         * @description A candidate and what was decided about it. `parts` are the terms of its salience: nov, ins, chg, lnk, rev, in [0, 1].
         */
        SleepJudged: {
            /** Note */
            note: string;
            /** Title */
            title: string;
            /** Day */
            day: string;
            /** Salience */
            salience: number;
            /** Parts */
            parts: {
                [key: string]: number;
            };
            /**
             * Reasons
             * @description Why it was caught, in the note's language.
             */
            reasons: string[];
            /**
             * Decision
             * @enum {string}
             */
            decision: "promote" | "associate" | "compress" | "release";
            /**
             * Relation
             * @description Of its insight to the core.
             * @enum {string}
             */
            relation: "new" | "redundant" | "opposed" | "complements" | "corrects";
            /**
             * Duplication
             * @description How much of it the core says already, 0 to 1.
             */
            duplication: number;
            /** Reasoning */
            reasoning: string;
            /**
             * Insight
             * @description The sentence that is kept: the person's own, or a model's wording that adds nothing; empty: none stands alone.
             */
            insight: string;
            /** Why */
            why: string | null;
            /** How */
            how: string | null;
            /**
             * Path
             * @description promote: the new core memory.
             */
            path: string | null;
            /**
             * Target
             * @description The core memory that takes it in, or whose place the new one takes.
             */
            target: string | null;
            /** Links */
            links: string[];
            /** Places */
            places: components["schemas"]["SleepPlace"][];
            /**
             * Until
             * @description Until this day it waits to be borne out by further notes.
             */
            until: string | null;
            /**
             * Judge
             * @description rules, or a model by its name.
             */
            judge: string;
            /**
             * Unjudged
             * @description Why the model that was to decide did not; null: it did, or none was to.
             */
            unjudged: string | null;
            /** Private */
            private: boolean;
        };
        /**
         * SleepPlace
         * @description A person's words that bear something out.
         */
        SleepPlace: {
            /** Note */
            note: string;
            /** Line */
            line: number;
            /** Quote */
            quote: string;
            /** Day */
            day: string | null;
        };
        /**
         * SleepRequest
         * @description POST /v1/sleep.
         */
        SleepRequest: {
            /**
             * Dry Run
             * @description Only tell what the night would do; nothing is written.
             * @default false
             */
            dry_run?: boolean;
            /**
             * Since
             * @description Look at notes from this day on; null: sleep.window_days.
             */
            since?: string | null;
            /**
             * Undo
             * @description Take a night back, the latest or that of `day`.
             * @default false
             */
            undo?: boolean;
            /**
             * Day
             * @description With `undo`: the day of the night to take back.
             */
            day?: string | null;
            /**
             * Client
             * @description Who acts, if it is an agent; null: a person.
             */
            client?: string | null;
        };
        /**
         * SleepResult
         * @description What came of a night, of a look ahead, or of taking one back.
         */
        SleepResult: {
            /** Day */
            day: string;
            /** Dry Run */
            dry_run: boolean;
            /**
             * Core
             * @description Names the snapshot of the core that was judged against.
             */
            core: string | null;
            /**
             * Processed
             * @description Notes looked at.
             */
            processed: number;
            /** Candidates */
            candidates: number;
            /**
             * Counts
             * @description Candidates by decision.
             */
            counts: {
                [key: string]: number;
            };
            /** Judged */
            judged: components["schemas"]["SleepJudged"][];
            hygiene: components["schemas"]["SleepHygiene"];
            /**
             * Skipped
             * @description Steps that were left out, and why.
             */
            skipped: string[];
            /**
             * Revision
             * @description The revision that stands for the night; null: nothing was to do.
             */
            revision: string | null;
            /**
             * Undo
             * @description The command that takes it back.
             */
            undo: string | null;
            /**
             * Undone
             * @description The night that was taken back.
             */
            undone: string | null;
            /**
             * Left
             * @description Files that stayed as a person had changed them.
             */
            left: string[];
        };
        /**
         * StatusResponse
         * @description GET /v1/status: handshake, state and the change counter that clients poll.
         */
        StatusResponse: {
            /**
             * App
             * @constant
             */
            app: "ebbtide";
            /** Version */
            version: string;
            /**
             * Api
             * @description The level of this interface.
             */
            api: number;
            /**
             * Api Min
             * @description The oldest level still answered.
             */
            api_min: number;
            /**
             * Plugin Min
             * @description The oldest version of the Obsidian plugin that is still served.
             */
            plugin_min: string;
            vault: components["schemas"]["VaultInfo"];
            /**
             * State
             * @enum {string}
             */
            state: "starting" | "indexing" | "ready" | "paused" | "degraded";
            /**
             * Message
             * @description The state in one sentence for a person.
             */
            message: string;
            /**
             * Message Zh
             * @description The same in Chinese; of what is wrong, only the kind.
             */
            message_zh: string;
            /**
             * Change
             * @description Grows with every visible change; poll and compare.
             */
            change: number;
            counts: components["schemas"]["Counts"];
            progress: components["schemas"]["Progress"];
            model: components["schemas"]["ModelInfo"];
            /** Keyword Ready */
            keyword_ready: boolean;
            /** Vectors Ready */
            vectors_ready: boolean;
            /**
             * Problems
             * @description The worst and newest, capped.
             */
            problems: components["schemas"]["ProblemInfo"][];
            /** Problem Count */
            problem_count: number;
            watch: components["schemas"]["WatchInfo"];
            /** Paused Until */
            paused_until: string | null;
            /** Uptime Seconds */
            uptime_seconds: number;
            /** Pid */
            pid: number;
            /**
             * Port
             * @description Null when the command line opened the vault itself.
             */
            port: number | null;
        };
        /**
         * TagInfo
         * @description A tag without its #; `offset` is null when it stands in the properties.
         */
        TagInfo: {
            /** Name */
            name: string;
            /** Offset */
            offset: number | null;
            /** Line */
            line: number;
        };
        /**
         * Temperature
         * @description How warm a memory is by use; the word and the number behind it.
         */
        Temperature: {
            /**
             * Word
             * @enum {string}
             */
            word: "hot" | "warm" | "cool" | "frozen";
            /** Value */
            value: number;
        };
        /**
         * TuneChange
         * @description A setting with its old and new value, and why.
         */
        TuneChange: {
            /** Key */
            key: string;
            /** Old */
            old: number;
            /** New */
            new: number;
            /** Why */
            why: string;
            /** Why Zh */
            why_zh: string;
        };
        /**
         * TuneExam
         * @description The exam before and after, on the half that was searched, on the half that judged, and on all of it.
         */
        TuneExam: {
            /**
             * Part
             * @enum {string}
             */
            part: "fitted" | "judged" | "all";
            /** N */
            n: number;
            before: components["schemas"]["TuneShare"];
            after: components["schemas"]["TuneShare"];
            /** Gained */
            gained: number;
            /** Lost */
            lost: number;
            /**
             * P
             * @description McNemar's exact two-sided p.
             */
            p: number;
            /**
             * Verdict
             * @enum {string}
             */
            verdict: "better" | "worse" | "no difference" | "not comparable";
        };
        /**
         * TuneJobResponse
         * @description POST /v1/tune; then GET /v1/jobs/{id} until it is done.
         */
        TuneJobResponse: {
            /** Id */
            id: string;
            /** What */
            what: string;
            /**
             * State
             * @enum {string}
             */
            state: "queued" | "running" | "done" | "failed";
            progress: components["schemas"]["Progress"];
            /**
             * Message
             * @description Why it failed, else empty.
             */
            message: string;
            /** Started */
            started: string | null;
            /** Finished */
            finished: string | null;
            /** @description What came of it, once it is done. */
            result: components["schemas"]["TuneReport"] | null;
        };
        /**
         * TuneNotice
         * @description Something that was not fitted or not taken, and why.
         */
        TuneNotice: {
            /** Code */
            code: string;
            /** Text */
            text: string;
            /** Text Zh */
            text_zh: string;
        };
        /**
         * TuneReport
         * @description What came of a fit. `enough` false: fewer than `needed` confirmed uses, and nothing was fitted.
         */
        TuneReport: {
            /** Day */
            day: string;
            /** Enough */
            enough: boolean;
            /** Uses */
            uses: number;
            /** Needed */
            needed: number;
            /** Missing */
            missing: number;
            /** Changes */
            changes: components["schemas"]["TuneChange"][];
            /** Warmth */
            warmth: components["schemas"]["TuneTrial"][];
            /** Exam */
            exam: components["schemas"]["TuneExam"][];
            /** Notices */
            notices: components["schemas"]["TuneNotice"][];
            /** Dry Run */
            dry_run: boolean;
            /**
             * File
             * @description The settings file in the vault.
             */
            file: string;
            /**
             * Revision
             * @description The revision that set it; null: nothing was set.
             */
            revision: string | null;
            /**
             * Undo
             * @description The command that takes it back.
             */
            undo: string | null;
            /**
             * In Force
             * @description The new values hold now; false after a change: an environment variable or an option overrules them.
             */
            in_force: boolean;
        };
        /**
         * TuneRequest
         * @description POST /v1/tune.
         */
        TuneRequest: {
            /**
             * Dry Run
             * @description Only show what would be set.
             * @default false
             */
            dry_run?: boolean;
            /**
             * Client
             * @description Who acts, if it is an agent; null: a person.
             */
            client?: string | null;
        };
        /**
         * TuneShare
         * @description Questions that go right, with the 95 % Wilson interval of their share.
         */
        TuneShare: {
            /** K */
            k: number;
            /** Value */
            value: number;
            /** Low */
            low: number;
            /** High */
            high: number;
        };
        /**
         * TuneTrial
         * @description Warmth as it is against as it was fitted, on the weeks from `since` on, which it was not fitted to.
         *
         *     `before`, `after`: mean log-loss a week of "used within the next 7 days"; `low`, `high`: 95 % interval of the difference.
         */
        TuneTrial: {
            /**
             * Name
             * @enum {string}
             */
            name: "life" | "bands";
            /** Title */
            title: string;
            /** Title Zh */
            title_zh: string;
            /** Before */
            before: number;
            /** After */
            after: number;
            /** Low */
            low: number;
            /** High */
            high: number;
            /** Weeks */
            weeks: number;
            /**
             * Used
             * @description Weeks with a use.
             */
            used: number;
            /** Memories */
            memories: number;
            /** Since */
            since: string;
            /** Kept */
            kept: boolean;
        };
        /**
         * UndoRequest
         * @description POST /v1/undo; without an id the latest revision of whoever asks.
         */
        UndoRequest: {
            /** Id */
            id?: string | null;
            /**
             * Why
             * @description The reason, kept with the revision.
             * @default
             */
            why?: string;
            /**
             * Client
             * @description Who acts, if it is an agent; null: a person.
             */
            client?: string | null;
        };
        /**
         * UsesRequest
         * @description POST /v1/uses.
         */
        UsesRequest: {
            /**
             * Ids
             * @description Facts, notes or passages, as answers name them.
             */
            ids: string[];
            /**
             * Kind
             * @default used
             * @enum {string}
             */
            kind?: "used" | "opened";
            /**
             * Query
             * @description What they helped with; default: what they were shown for. Not kept.
             */
            query?: string | null;
            /**
             * Session
             * @description In one session an id counts once; without one, once a day.
             */
            session?: string | null;
            /**
             * Client
             * @description Who acts, if it is an agent; null: a person.
             */
            client?: string | null;
        };
        /**
         * UsesResponse
         * @description POST /v1/uses and /v1/corrections: what counts from now on.
         */
        UsesResponse: {
            /** Recorded */
            recorded: string[];
            /** Ignored */
            ignored: components["schemas"]["IgnoredUse"][];
            /**
             * Day
             * @description The local day it counts for.
             */
            day: string;
        };
        /**
         * VaultInfo
         * @description Which vault this daemon serves; clients compare `id` with the run file's.
         */
        VaultInfo: {
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Path */
            path: string;
        };
        /**
         * WatchInfo
         * @description How changes are noticed, and what is weak about it here.
         */
        WatchInfo: {
            /**
             * Mode
             * @enum {string}
             */
            mode: "events" | "scan" | "off";
            /** Message */
            message: string;
        };
        /**
         * WhyEdge
         * @description The edge that leads to a place of a chain from the one before.
         */
        WhyEdge: {
            /** Type */
            type: string;
            /**
             * Relation
             * @description The relation as it is written, if it is.
             */
            relation: string | null;
            /**
             * Words
             * @description How the note before goes on to this one, in the language of the question.
             */
            words: string;
            /**
             * Declared
             * @description False: read from prose, or a mere mention.
             */
            declared: boolean;
            /** Confidence */
            confidence: number;
            /**
             * Reasoned
             * @description The type carries a reason; a mention does not.
             */
            reasoned: boolean;
            /**
             * Source
             * @description The file that says it.
             */
            source: string;
            /** Line */
            line: number;
            /** Column */
            column: number;
            /** Sentence */
            sentence: string;
        };
        /**
         * WhyPlace
         * @description A note on a chain.
         */
        WhyPlace: {
            /** Note */
            note: string;
            /** Title */
            title: string;
            /** Line */
            line: number;
            /** Column */
            column: number;
            /** Date */
            date: string | null;
            /** Type */
            type: string;
            /** @description Null for the first place. */
            edge: components["schemas"]["WhyEdge"] | null;
            /**
             * Superseded By
             * @description The note that says it takes this one's place.
             */
            superseded_by: string | null;
        };
        /**
         * WhyRequest
         * @description POST /v1/why.
         */
        WhyRequest: {
            /**
             * Query
             * @description What is asked about; never read as syntax.
             */
            query: string;
            /**
             * Scope
             * @description Only notes in this folder.
             */
            scope?: string | null;
            /**
             * As Of
             * @description As on that day: notes dated later are no part of a chain.
             */
            as_of?: string | null;
            /**
             * Direction
             * @description back: why is it so; forward: what came of it; null: as the words of the question say.
             */
            direction?: ("back" | "forward") | null;
            /**
             * Note
             * @description The note to start at; null: where the question leads.
             */
            note?: string | null;
            /**
             * Lang
             * @description Language of what is said of the steps; null: that of the question.
             */
            lang?: ("zh" | "en") | null;
        };
        /**
         * WhyResponse
         * @description POST /v1/why.
         */
        WhyResponse: {
            /** Query */
            query: string;
            /**
             * Direction
             * @enum {string}
             */
            direction: "back" | "forward";
            /**
             * Kind
             * @description typed: links state the reason; path: notes are only connected, which is weaker; none: nothing is.
             * @enum {string}
             */
            kind: "typed" | "path" | "none";
            /**
             * Message
             * @description What the chain is worth, in the language of the question.
             */
            message: string;
            /** Chain */
            chain: components["schemas"]["WhyPlace"][];
            /**
             * Branches
             * @description Further grounds of notes on the chain, best first.
             */
            branches: components["schemas"]["WhyPlace"][];
            /**
             * Notes
             * @description The chain in order, its branches, then what recall found.
             */
            notes: string[];
            /** As Of */
            as_of: string | null;
            /** Tokens */
            tokens: number;
            /** Ms */
            ms: {
                [key: string]: number;
            };
            /** Skipped */
            skipped: components["schemas"]["Skipped"][];
        };
    };
    responses: never;
    parameters: {
        /** @description The level the client speaks; another one than the daemon's is answered with 409. */
        level: 1;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    status: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    recall: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecallRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecallResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    why: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WhyRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WhyResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    related: {
        parameters: {
            query: {
                note: string;
                limit?: number;
                /** @description Only this type of memory (decision, lesson, ...). */
                type?: string | null;
                /** @description Tokens the items may take together. */
                budget?: number | null;
                /** @description States that are hidden unless asked for. */
                include?: ("stale" | "archived" | "frozen" | "quarantined" | "conversations")[];
                /** @description Leave out what the note links to or is linked from. */
                unlinked?: boolean;
                /** @description Language of the reasons; null: that of the note. */
                lang?: ("zh" | "en") | null;
            };
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RelatedResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    explain: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExplainRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplainResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    facts: {
        parameters: {
            query?: {
                note?: string | null;
                type?: ("decision" | "preference" | "constraint" | "procedure" | "lesson" | "metric" | "definition" | "event" | "state" | "relation" | "plan") | null;
                after?: string;
                limit?: number;
                /** @description What a gate refused, with the reason, instead of the facts. */
                refused?: boolean;
                /** @description Only facts of this state, or of which this holds. */
                state?: ("candidate" | "active" | "stale" | "archived" | "quarantined" | "disputed" | "expired" | "frozen") | null;
            };
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FactsResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    fact: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FactResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    correct: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CorrectRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisedResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    episodes: {
        parameters: {
            query?: {
                result?: ("success" | "partial" | "failure" | "missing") | null;
                type?: string | null;
                note?: string | null;
                after?: string;
                limit?: number;
            };
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EpisodesResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    links: {
        parameters: {
            query?: {
                note?: string | null;
                /** @description Links that lead nowhere, each with near names. */
                unresolved?: boolean;
                /** @description Links that could mean several files, each with the others. */
                ambiguous?: boolean;
                /** @description Links whose heading or block their note does not have. */
                broken_anchors?: boolean;
                /** @description Instead of links: notes and attachments that none connects. */
                orphans?: boolean;
                /** @description Instead of links: edges by type and origin. */
                stats?: boolean;
                after?: string;
                /** @description Of links with near names at most 1,000 a page. */
                limit?: number;
            };
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinksResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    notes: {
        parameters: {
            query?: {
                status?: ("indexed" | "pending" | "skipped" | "failed") | null;
                limit?: number;
            };
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotesResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    note: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path: {
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    exam_runs: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExamRunsResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    exam: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExamRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExamJobResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    exam_questions: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExamQuestionsResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    exam_add: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExamAddRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExamQuestionResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    exam_remove: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExamRemoveRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExamQuestionResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    tune: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TuneRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TuneJobResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    rebuild: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RebuildRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    job: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    doctor: {
        parameters: {
            query?: {
                /** @description Language of what is said; null: English. */
                lang?: ("zh" | "en") | null;
            };
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoctorResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    pause: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PauseRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PauseResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    resume: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResumeRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PauseResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    answer: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnswerRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnswerResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    act: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path: {
                id: string;
                action: "archive" | "restore" | "freeze" | "thaw" | "pin" | "forget" | "quarantine" | "clear" | "confirm";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ActRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisedResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    undo: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisedResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    revisions: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisionsResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    reviews: {
        parameters: {
            query?: {
                kind?: ("lines" | "dispute" | "wrong" | "expired" | "held" | "quarantined" | "merge" | "missing-result") | null;
                limit?: number;
                after?: string;
                /** @description Language of the questions; null: that of what they are about. */
                lang?: ("zh" | "en") | null;
            };
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewsResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    uses: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UsesRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsesResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    corrections: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CorrectionsRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsesResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    rule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RulingRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisedResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    sleep: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SleepRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SleepJobResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: {
                /** @description Days of the trend. */
                days?: number;
            };
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    measure: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HealthRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthJobResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    digest: {
        parameters: {
            query?: never;
            header?: {
                /** @description The level the client speaks; another one than the daemon's is answered with 409. */
                "X-Ebbtide-Api"?: components["parameters"]["level"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DigestResponse"];
                };
            };
            /** @description Why it could not be done; the remedy. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
}
