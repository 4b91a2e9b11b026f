"""What the page of speed says of files, and of threads."""

from speed_found import duration, paragraph, table

#: Kinds of files, by what a job is like.
FILES = {"": "Parquet", "weights": "with weights", "10,000 groups": "in 10,000 groups", "CSV": "CSV"}
OURS = ("one metric", "ten metrics", "ten metrics with intervals")


def rows_of_file(sizes):
    """Return which of some sizes of files the table is about."""
    return max(size for size in sizes if size <= 20_000_000)


def of_file(found):
    """Return the rows of the file that the table is about, by their jobs, and how many rows it has."""
    files = [row for row in found if row["where"] == "file" and row["classes"] == 2]
    largest = rows_of_file({row["rows"] for row in files})
    return {(row["kind"], row["name"], row["like"]): row for row in files if row["rows"] == largest}, largest


def about_files(found):
    """Say what one pass over a file takes elsewhere, and what the largest file takes."""
    here, largest = of_file(found)
    read = here["floor", "read", ""]["wall"]
    text = f"The file has {largest:,} rows of two classes. pyarrow reads it in {duration(read)}. "
    sums = [
        f"{duration(here[kind, 'three sums', '']['wall'])} in {kind}"
        for kind in ("polars", "DuckDB")
        if (kind, "three sums", "") in here
    ]
    if sums:
        text += f"Three sums of columns take {' and '.join(sums)}. "
    if ("polars", "three sums", "") in here:
        times = [
            [here["job", name, ""][field] / here["polars", "three sums", ""][field] for name in OURS]
            for field in ("wall", "seconds")
        ]
        wall, processors = (
            ", ".join(f"{factor:.2g} for {name}" for name, factor in zip(OURS, factors, strict=True))
            for factors in times
        )
        text += (
            "skconf takes a multiple of the time that polars takes for these sums. In elapsed time, the factors are "
            f"{wall}. In processor time, they are {processors}. "
        )
    most = max(row["rows"] for row in found if row["where"] == "file")
    if most > largest:
        last = [row for row in found if row["where"] == "file" and row["rows"] == most and row["kind"] == "job"]
        took = ", ".join(f"{row['name']} {duration(row['wall'])}" for row in last)
        text += f"Times for {most:,} rows: {took}. The process needed at most {_megabytes(last)} of memory."
    return paragraph(text)


def _megabytes(rows):
    return f"{max(row['peak'] for row in rows) / 2**20:.0f} MB"


def table_of_files(found):
    """Give the seconds of each kind of file, and of polars where it computes the same."""
    here, _ = of_file(found)
    kinds = {name: {key[:2]: row for key, row in here.items() if key[2] == like} for like, name in FILES.items()}
    wide = {(row["kind"], row["name"]): row for row in found if row["where"] == "file" and row["classes"] > 2}
    one = next(iter(wide.values()))
    kinds[f"{one['rows']:,} rows of {one['classes']} classes"] = wide
    columns = {("job", OURS[0]): OURS[0], ("polars", OURS[0]): "the same in polars"} | {
        ("job", name): name for name in OURS[1:]
    }
    columns = {job: title for job, title in columns.items() if any(job in rows for rows in kinds.values())}
    lines = []
    for name, rows in kinds.items():
        cells = [duration(rows[job]["wall"]) if job in rows else "–" for job in columns]
        lines.append([name, *cells, _megabytes([row for (kind, _), row in rows.items() if kind == "job"])])
    return table(["file", *columns.values(), "memory, at most"], lines)


def about_threads(found):
    """Say how much faster more threads are, and where the rest goes."""
    by_name = {}
    for row in found:
        if row["where"] in ("threads", "processes"):
            by_name.setdefault(row["name"], {}).setdefault((row["where"], row["threads"]), []).append(row)
    threads = sorted({number for rows in by_name.values() for where, number in rows if where == "threads"})
    most = threads[-1]
    if most == 1:
        return "This machine has one core."
    lines = []
    for name, rows in by_name.items():
        walls = [rows["threads", number][0]["wall"] for number in threads]
        work = [rows["threads", number][0]["seconds"] for number in threads]
        ideal, dearer = walls[0] / most, max((work[-1] - work[0]) / most, 0)
        parts = [ideal, dearer, max(walls[-1] - ideal - dearer, 0)]
        apart = max(row["wall"] for row in rows["processes", most])
        lines.append([name, *map(duration, [*walls, *parts, apart])])
    head = ["job", *(f"{number} thread{'s' * (number > 1)}" for number in threads), "ideal", "extra work", "waiting"]
    text = f"""The table is for the Parquet file of {of_file(found)[1]:,} rows. The time of {most} threads has three
        parts. *Ideal* is the time of one thread, divided by {most}. *Extra work* is the additional processor time that
        {most} threads need, divided by {most}. *Waiting* is the rest: threads wait for the lock of the interpreter, or
        for the last thread to end. In the last column, {most} processes run at the same time, and each does the whole
        job on one thread. If this takes longer than one thread alone, the cores compete for memory or caches. No
        program can avoid this."""
    return f"{paragraph(text)}\n\n{table([*head, f'{most} processes'], lines)}"
