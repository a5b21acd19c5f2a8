-- The form of the databases that p5scope writes: p5scope-trace-sqlite(5). user_version is the form's number.
PRAGMA application_id = 0x70357363; -- "p5sc"
PRAGMA user_version = 3;

CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,            -- 'trace', 'stat' or 'intervals' (stat -I)
    p5scope TEXT NOT NULL,         -- version
    model TEXT NOT NULL,
    clock_mhz REAL NOT NULL,
    command TEXT NOT NULL,         -- the guest and its arguments
    options TEXT NOT NULL,         -- p5scope's own
    guest_sha256 TEXT,             -- of the guest's file
    label TEXT,                    -- merge --label: a commit, say
    identity TEXT NOT NULL UNIQUE, -- what makes it this run, JSON: '$.run' is what its writer recorded, argv and options as arrays
    source TEXT NOT NULL,          -- file that it came from
    complete INTEGER NOT NULL DEFAULT 0, -- 0: the run was cut off
    clocks INTEGER, instructions INTEGER, seconds REAL, -- totals, once it is complete; modelled seconds
    ending TEXT                    -- how it was cut short; NULL: the guest ended it
);

CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE, -- with modifiers: data_read:u
    event TEXT,                -- without them; NULL: not an event (clocks, stall_CAUSE)
    mode TEXT,                 -- 'u' CPL 3, 'k' CPL 0-2, 'c' clocks in which the signal was on
    code INTEGER, ctr TEXT, grade TEXT
);

CREATE TABLE interval (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run,
    number INTEGER NOT NULL,  -- of the row in its run, from 0
    previous INTEGER,         -- id of the row before, NULL for the first
    kind TEXT NOT NULL,       -- 'start', 'interval', 'entry', 'exit', 'begin', 'end', 'rdpmc', 'rdmsr', 'wrmsr', 'stop'
    label TEXT,               -- function; register
    clock INTEGER NOT NULL, instructions INTEGER NOT NULL,
    address INTEGER, cpl INTEGER,
    argument INTEGER,         -- id of a marker, ECX
    value INTEGER,            -- read or written
    cesr INTEGER, ctr0 INTEGER, ctr1 INTEGER,
    registers TEXT,           -- of a later monitor, in the place of these: an object of JSON
    UNIQUE (run, number)
);

CREATE TABLE value (
    interval INTEGER NOT NULL REFERENCES interval,
    event INTEGER NOT NULL REFERENCES event,
    value INTEGER NOT NULL,   -- total since the beginning of the run
    PRIMARY KEY (interval, event)
) WITHOUT ROWID;

-- What was added since the row before.
CREATE VIEW delta AS
SELECT i.run, i.number, i.kind, i.label, i.clock, i.clock - coalesce(p.clock, 0) AS clocks,
       i.instructions - coalesce(p.instructions, 0) AS instructions,
       e.name AS event, v.value - coalesce(w.value, 0) AS delta
FROM value v
JOIN interval i ON i.id = v.interval
JOIN event e ON e.id = v.event
LEFT JOIN interval p ON p.id = i.previous
LEFT JOIN value w ON w.interval = i.previous AND w.event = v.event;

-- Totals of each run: the values of its last row.
CREATE VIEW total AS
SELECT r.id AS run, r.label, r.model, r.clock_mhz, r.command, r.options, e.name AS event, v.value
FROM run r
JOIN interval i ON i.id = (SELECT id FROM interval WHERE run = r.id ORDER BY number DESC LIMIT 1)
JOIN value v ON v.interval = i.id
JOIN event e ON e.id = v.event;

-- Derived figures of each row, over what was added since the row before; NULL without the events they need.
CREATE VIEW metric AS
SELECT run, number, kind, clock, clocks,
       1.0 * clocks / nullif(max(CASE event WHEN 'instructions_executed' THEN delta END), 0) AS cpi,
       100.0 * max(CASE event WHEN 'instructions_executed_v_pipe' THEN delta END)
           / nullif(max(CASE event WHEN 'instructions_executed' THEN delta END), 0) AS paired_percent,
       100.0 * max(CASE event WHEN 'stall_agi' THEN delta END) / nullif(clocks, 0) AS agi_percent,
       100.0 * max(CASE event WHEN 'data_read_miss' THEN delta END)
           / nullif(max(CASE event WHEN 'data_read' THEN delta END), 0) AS data_read_miss_percent,
       100.0 * max(CASE event WHEN 'data_write_miss' THEN delta END)
           / nullif(max(CASE event WHEN 'data_write' THEN delta END), 0) AS data_write_miss_percent,
       100.0 * max(CASE event WHEN 'code_cache_miss' THEN delta END)
           / nullif(max(CASE event WHEN 'code_read' THEN delta END), 0) AS code_miss_percent,
       100.0 * max(CASE event WHEN 'btb_hits' THEN delta END)
           / nullif(max(CASE event WHEN 'branches' THEN delta END), 0) AS btb_hit_percent,
       100.0 * max(CASE event WHEN 'pipeline_flushes_due_to_wrong_branch_predictions' THEN delta END)
           / nullif(max(CASE event WHEN 'branches' THEN delta END), 0) AS mispredicted_percent,
       1.0 * max(CASE event WHEN 'flops' THEN delta END) / nullif(clocks, 0) AS flops_per_clock
FROM delta
GROUP BY run, number;
