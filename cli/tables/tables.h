/* SPDX-License-Identifier: BSD-3-Clause
 * tables.h - rows: read, prepared, split. */
#ifndef CLI_TABLES_H
#define CLI_TABLES_H
#include "options/options.h"

/* ---- class_list.c: names of classes from batches of rows ------------------------------------ */
typedef struct named_class { char *name; size_t id; } named_class;  /* id: in order of arrival */
typedef struct class_list { named_class *at; size_t n; } class_list;    /* sorted by name */
/* Adds the classes of t; id[t->classes] gets their ids. */
int class_list_merge(class_list *l, size_t *id, const fx_table *t);
size_t *class_list_ranks(const class_list *l);  /* [n] place in the list, by id; NULL: no memory */
const char **class_list_names(const class_list *l);     /* [n]; free() it; NULL: no memory */
void class_list_free(class_list *l);

/* ---- label_check.c: labels that look like identifiers or times ------------------------------ */
typedef struct label_look {             /* at labels so far; zeros: none yet */
    bool plain, repeated;               /* plain: nothing can be odd any more */
    size_t rows, values;                /* different ones: few of them, or all while none repeats */
    double low, high;
    double *slot;                       /* [slots] a hash table of the values */
    size_t slots;
} label_look;
void label_check_add(label_look *c, const fx_table *t);
void label_check_free(label_look *c);

/* ---- load_files.c: several files as one source ---------------------------------------------- */
typedef struct load_source {            /* a file that was read */
    const char *path;
    uint64_t size, hash;
    int64_t seconds, nanoseconds;       /* when it was changed */
    bool once;                          /* a pipe: it cannot be compared later */
} load_source;
int load_files_now(load_source *out, const char *path);  /* all but the hash */
int load_files_shared(const char *path);        /* under mpirun: can every process read it? */

/* ---- load.c: bytes to rows ------------------------------------------------------------------ */
typedef struct batch_facts {            /* of all rows so far, where they come in batches */
    size_t rows;
    bool labelled, weighted;
    label_look labels;
    class_list classes;
    size_t *class_id;                   /* of the classes of this batch, in `classes` */
    const char **class_name;
} batch_facts;
typedef struct loaded {
    fx_data *data;
    fx_table table;
    fx_matrix *wide;                    /* the table's blocks, if rows_widen changed them */
    char *spec;                         /* of the reader, with what the rows settled */
    char *asked;                        /* .. without that */
    const char *name, *format, *compression;
    char *names;                        /* "a.svm and 2 more files": then name is that */
    load_source *source;                /* [sources] */
    size_t sources;
    const char *path;                   /* of a file that can be read again, or NULL */
    const char *part;                   /* of --part, or what stands for it */
    bool numbered;                      /* the file has numbers of columns, from a base on */
    bool base_given, late_base;         /* late: found by all rows, see load_base */
    bool lines;                         /* each row was a line of text */
    bool known;                         /* columns are those of other rows, found by name */
    bool nodes;                         /* load_options.nodes: labels are what rows are called */
    size_t split;                       /* pairs of nodes: columns of the first; else 0 */
    char *node_spec[2];                 /* .. by which nodes of each side were read; or NULL */
    fx_read_counts reading;
    double seconds;
    bool exceeds;                       /* there are more rows than load_options.most */
    struct load_stream *stream;         /* rows to come, or NULL */
    batch_facts so_far;
} loaded;
/* How to read rows that must agree with other rows: those of a model or of another file. */
typedef struct load_options {
    int base;                           /* of svmlight indices; -1: as the options say */
    const char *reader;                 /* spec by which the others were read, or NULL */
    const char *const *name;            /* [names] their columns, or NULL */
    size_t names;
    bool grows;                         /* names that the others lack become columns after these */
    bool unlabelled;                    /* rows may lack labels */
    bool any_width;                     /* no vector of the table's width will be made */
    bool streamed;                      /* rows come a batch at a time: load_next */
    bool batched;                       /* .. and no one waits for a row: in large batches; a base
                                         * that is not given is 0, see load_base */
    bool again;                         /* they are read more than once: nothing is said this
                                         * time */
    const char *const *more;            /* [mores] files whose rows follow */
    size_t mores;
    double most;                        /* bytes of rows: more of them are streamed; 0: any */
    bool hashed;                        /* source[k].hash is wanted */
    bool filled;                        /* a fit fills in missing numbers: they stay NaN */
    bool kept;                          /* the model does, whatever its reader: the same */
    bool nodes;                         /* rows that others are made of, for which --nan decides */
} load_options;
int load_as(loaded *l, const char *path, const load_options *like);
/* base: 0 or 1 for a file that must agree with one already read, -1: as the options say. */
int load(loaded *l, const char *path, int base);
/* The next rows instead of those in l->table, none at the end.  load_as gives the first: a batch of
 * text, or all of an array. */
int load_next(loaded *l);
int load_ask(loaded *l, const char *path, const load_options *like);   /* l->asked, and no rows */
double load_expected(const loaded *l);  /* rows, by the share of the bytes that was read */
int load_failed(const loaded *l, fx_status s);  /* of the library; names the line of a row */
/* Batched rows, after the last: their columns count from 0 (l->table.base).  The base of the file:
 * 1 unless an index 0 occurred. */
int load_base(const loaded *l);
void load_free(loaded *l);

/* ---- batches.c: rows a batch at a time ------------------------------------------------------
 * Calls `use` for each batch, l->table, with l->so_far of the batches before.  Then l->table
 * describes all rows, but has none. */
int batches_read(loaded *l, const char *path, const load_options *like,
                 int (*use)(void *ctx, loaded *l), void *ctx);
void batches_free(batch_facts *f);

void label_check(const loaded *l);      /* label_check.c: warns of such labels */

/* ---- load_say.c: what was read, in words ---------------------------------------------------- */
void load_say(const loaded *l);         /* as lines of talk, with warnings about columns */
enum { LOAD_SAY = 512 };
/* "y" or "in the last column": where the labels were; false: the format has no choice. */
bool load_say_label(char out[LOAD_SAY], const loaded *l);
/* "city (3), job (12)": how many columns became categories, and of how many values; warns. */
size_t load_say_categories(char out[LOAD_SAY], const loaded *l);
/* Fails if two columns have one name: rows to predict are found by it. */
int load_say_twice(const loaded *l);

/* ---- row_place.c: where in its file a row is ------------------------------------------------ */
enum { ROW_PLACE = 4200 };
/* "data.csv:3", or "data.csv" if the line is not known; row: from 1. */
const char *row_place(char buf[ROW_PLACE], const loaded *l, size_t row);

/* ---- reading.c: options of reading, as a spec ----------------------------------------------- */
#define READING_FORMATS "auto|svmlight|csv|tsv|text|npy|npz"
extern const char *reading_format;      /* of --format */
extern const opt_group reading_options, reading_but_format;
const char *reading_part(const char *otherwise);         /* of --part */

/* ---- rows_missing.c: numbers that are missing, by --nan ------------------------------------- */
#define ROWS_MISSING "error|drop|zero|mean|median|category"
/* Early: is --nan one of them, or with ,indicator, and does it suit the command? */
int rows_missing_check(const load_options *like);
const char *rows_missing_plan(void);         /* for fx_plan.missing; NULL: there must be none */
/* Leaves out or fills what no fit will fill, and says what there was. */
int rows_missing_settle(loaded *l, const load_options *like);
int rows_missing_complete(fx_data **out, const fx_table *t); /* rows without any; NULL: all are */
typedef struct rows_survey {            /* of missing numbers in rows so far; zeros: none yet */
    struct rows_column *column;         /* [cols] */
    size_t cols;
    bool *row;                          /* [rows of the last table] has it a missing number? */
    size_t missing, columns, rows, all; /* columns and rows that have some; all rows */
} rows_survey;
int rows_missing_look(rows_survey *s, const fx_table *t);
void rows_missing_free(rows_survey *s);
/* rows_missing_settle for batches, and what it says after the last. */
int rows_missing_batch(loaded *l, const load_options *like, rows_survey *s);
int rows_missing_end(loaded *l, const load_options *like, const rows_survey *s);
bool rows_missing_refused(const load_options *like, const rows_survey *s); /* will it fail? */
/* Says what a model with this `missing` does with them. */
void rows_missing_filled(const loaded *l, const rows_survey *s, const char *missing);
/* How many in which columns. */
void rows_missing_text(char out[LOAD_SAY], const loaded *l, const rows_survey *s);

/* ---- format_detect.c ------------------------------------------------------------------------ */
bool format_is_model(const void *bytes, size_t len);     /* do they begin a model file? */

/* ---- rows_prepare.c: rows that were read, made ready ---------------------------------------- */
void rows_replace(loaded *l, fx_data *data);            /* rows from rows; takes data over */
int rows_made(loaded *l, double start); /* l->data was made since `start`: as if it was read */
/* The same sparse rows with more columns: what t->block is now, to be freed; NULL: no memory. */
fx_matrix *rows_wider(fx_table *t, size_t cols);
int rows_widen(loaded *l, size_t cols, const char *other); /* sparse rows to other's width */
int rows_fit(fx_scale **out, const char *spec, const loaded *l);
int rows_scale(loaded *l, const fx_scale *s);           /* in place */
int rows_rescale(loaded *l, const char *spec);          /* both, unless it is none */
double rows_products(double n, int order);      /* products of up to `order` columns of n */
double rows_stored(const fx_table *t, int order);       /* .. that are not 0, of all rows */
int rows_join(loaded *l);               /* all rows in one block, which is what kernels take */
/* A random sample of `max_rows` rows by seed, in random order; of all rows if there are no more. */
int rows_draw(fx_data **out, const fx_table *t, size_t max_rows, uint64_t seed);
/* `max_rows` of the rows, each equally probable, in their order; all of them if it is 0. */
int rows_choose(fx_data **out, const fx_table *t, size_t max_rows, uint64_t seed);
int rows_ready(loaded *l, const char *path, const char *scale); /* read, scaled and in one block */
fx_matrix rows_part(const fx_matrix *X, size_t first, size_t n); /* those rows of a block */

/* ---- label_counts.c: how many rows have which label ------------------------------------------ */
typedef struct label_count { double label; size_t rows; } label_count;
typedef struct label_counts {           /* zeros: none yet */
    label_count *at;                    /* [slots] a hash table; when sorted: [n], ascending */
    size_t n, slots;
} label_counts;
int label_counts_add(label_counts *c, const fx_table *t);
void label_counts_sort(label_counts *c);        /* after the last rows */
size_t label_counts_find(const label_counts *c, double label);  /* the place of one that occurred */
void label_counts_free(label_counts *c);

/* ---- row_sample.c: a random sample of each class ------------------------------------------------
 * All rows are counted; then `max_rows` of them are drawn by seed, or all if there are no more;
 * then all rows come again, in the same batches or others, and those that were drawn are taken. */
typedef struct row_sample {
    bool classes;                       /* set by the caller: labels are, and each has its share, at
                                         * least one row where there are no more classes than rows
                                         * to draw; other members: zeros at first */
    size_t rows;                        /* so far */
    label_counts labels;
    struct row_stratum *stratum;        /* [labels.n], or one for all rows */
    size_t *drawn;
    fx_data **part;                     /* [parts] the drawn rows of a batch */
    size_t parts;
} row_sample;
int row_sample_count(row_sample *s, const fx_table *t);
int row_sample_draw(row_sample *s, size_t max_rows, uint64_t seed);
int row_sample_take(row_sample *s, const fx_table *t);
/* Those that were taken, in their order, as one block; width, classes and names are those of
 * `like`.  Once. */
int row_sample_join(fx_data **out, row_sample *s, const fx_table *like);
void row_sample_free(row_sample *s);

/* ---- ascending.c ---------------------------------------------------------------------------- */
int ascending_doubles(const void *a, const void *b);     /* for qsort */
int ascending_sizes(const void *a, const void *b);
int ascending_integers(const void *a, const void *b);    /* of 64 bits */
typedef struct labelled {
    double label;
    size_t row;
} labelled;
int ascending_labels(const void *a, const void *b);     /* of labelled; of equals by row */

/* ---- label_classes.c -------------------------------------------------------------------------
 * Fails if a row that is to be measured on has a class that no row to train on has.  hint: what to
 * do, or NULL. */
int label_classes_known(const loaded *rows, const loaded *train, const char *hint);
size_t label_classes_count(const fx_table *t);          /* 0: no memory to count them */

/* ---- parts.c ---------------------------------------------------------------------------------
 * A model is fitted on train, its C (or beta) chosen on valid, and measured on test. */
typedef struct parts {
    fx_data *data[3];                   /* what train, valid, test are views of; may be NULL */
    fx_table train, valid, test;        /* valid.rows may be 0 */
    fx_data *joined;                    /* train, then valid: made when C is first kernel_choice */
    int32_t *fold;                      /* of joined: -1 only to train on */
    bool regress;                       /* labels are numbers */
} parts;
/* By seed: shares of the rows for validation and test, within each class if labels are classes. */
int parts_split(parts *p, const fx_table *t, double valid, double test, bool regress,
                uint64_t seed);
fx_status parts_join(parts *p);         /* makes joined, and room for fold */
void parts_free(parts *p);

/* ---- spill.c: rows that exceed the memory --------------------------------------------------- */
typedef struct spill_part { uint64_t begin, bytes, first; } spill_part; /* in the file; first row */
typedef struct spill {
    int fd;
    char beside[4096];                  /* the output, or the file, if it is kept, or a folder */
    bool kept, loose;                   /* loose: in a folder, since there is no output */
    uint64_t bytes, rows, passes;       /* rows: of all processes */
    uint64_t group;                     /* blocks that one process has together; 0: not known */
    bool combines;                      /* it is for a model that learns combinations */
    uint64_t text;                      /* hash of what was read and how; 0: it is no text */
    double first_seconds, other_seconds, least_seconds; /* of passes; least: of one of the others */
    size_t cols;
    int base;
    spill_part *part;                   /* [parts] of FX_PASS_BLOCK rows each, the last of fewer;
                                         * those of this process */
    size_t parts, capacity;
    const char **name;                  /* [names] of columns, or NULL */
    size_t names;
    int status;                         /* of a pass that failed here, after its message */
    struct spill_worker *worker;        /* [workers] spill_answer.c */
    size_t workers;
    struct spill_work *work;
} spill;
double spill_most(bool combines);       /* bytes of rows that are fitted in memory */
int spill_failed(const spill *s, const char *what);     /* prints errno; the exit status */
/* spill_answer.c - an fx_pass_ask. */
fx_status spill_answer(void *spill, const void *request, size_t bytes, const fx_sink *answer);
int spill_assist(spill *s);             /* answers the passes of process 0, until it ends them */
/* Bytes of the parts that a pass has in memory at a time, each `copies` times. */
uint64_t spill_reads(const spill *s, unsigned copies);
uint64_t spill_blocks(const spill *s);  /* of FX_PASS_BLOCK rows, of all processes */
fx_status spill_visit(void *spill, fx_rows_take *take, void *to);       /* an fx_rows_visit */
void spill_free(spill *s);

/* ---- spill_write.c -------------------------------------------------------------------------- */
/* The rows of l and those to come go to a file beside the output or, if `kept` is not NULL, to that
 * file.  l keeps their number and width, but no rows. */
int spill_write(spill *s, loaded *l, const char *beside, const char *kept);

/* ---- spill_rows.c: all rows, wherever they are ----------------------------------------------- */
int spill_row(fx_data **out, const spill *s, uint64_t i);       /* one of them */
typedef int spill_use(void *ctx, const fx_table *t);
/* The table of l or, unless s is NULL, the parts of a spill, in their order and with all
 * classes. */
int rows_each(const loaded *l, spill *s, spill_use *use, void *ctx);
/* none or maxabs, by the range of the values; says which, and why.  rows_prepare.c */
int rows_scaling(const char **out, const loaded *l, spill *s);
/* A sample of them by cli.seed: row_sample.c. */
int rows_sample(fx_data **out, const loaded *l, spill *s, size_t max_rows, bool classes);

/* ---- spill_share.c -------------------------------------------------------------------------- */
/* All rows were read: are there blocks in different processes that one of them must have?  Then
 * s->group is what another spill_write needs. */
bool spill_share_fails(spill *s, const loaded *l);

/* ---- spill_file.c: a spill that is kept ----------------------------------------------------- */
/* Opens it for the sources and options by which l->asked was made; others are refused. */
int spill_file_open(spill *s, loaded *l, const char *kept, const char *path,
                    const load_options *like);

/* ---- link_rows.c: pairs of nodes as rows ---------------------------------------------------- */
extern const opt_group link_rows_options;
bool link_rows_given(void);             /* --links */
const char *link_rows_path(void);
const char *link_rows_nodes(fx_side side);      /* NULL: not given */
/* Are rows from there alone?  operands: files of rows that are given besides. */
int link_rows_check(const char *who, int operands);
/* part: if --part is not given; like: how missing numbers of the pairs are treated. */
int link_rows_load(loaded *l, const char *part, const load_options *like);
/* The same of nodes that were read; B NULL: links are within A. */
int link_rows_pairs(loaded *l, const char *part, const fx_table *A, const fx_table *B,
                    const load_options *like);

/* ---- movielens_dir.c: a directory with u.data, u.user and u.item, packed or not ------------- */
bool movielens_dir_is(const char *path);
#endif
