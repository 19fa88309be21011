/* Prints the binary interface that the headers of libvmaf describe: sizes, offsets and enumerators.
 * It does not compile if a function has another type. */
#include <libvmaf/libvmaf.h>
#include <libvmaf/version.h>
#include <stddef.h>
#include <stdio.h>

#define FUNCTION(name, result, ...) result (*name##_type)(__VA_ARGS__) = name
#define SIZE(type) printf("size " #type " %zu\n", sizeof(type))
#define OFFSET(type, member) printf("at " #type "." #member " %zu\n", offsetof(type, member))
#define NUMBER(name) printf("number " #name " %d\n", (int)(name))

/* Every function of the interface, with its type. */
FUNCTION(vmaf_init, int, VmafContext**, VmafConfiguration);
FUNCTION(vmaf_use_features_from_model, int, VmafContext*, VmafModel*);
FUNCTION(vmaf_use_features_from_model_collection, int, VmafContext*, VmafModelCollection*);
FUNCTION(vmaf_use_feature, int, VmafContext*, const char*, VmafFeatureDictionary*);
FUNCTION(vmaf_import_feature_score, int, VmafContext*, const char*, double, unsigned);
FUNCTION(vmaf_read_pictures, int, VmafContext*, VmafPicture*, VmafPicture*, unsigned);
FUNCTION(vmaf_score_at_index, int, VmafContext*, VmafModel*, double*, unsigned);
FUNCTION(vmaf_score_at_index_model_collection, int, VmafContext*, VmafModelCollection*,
         VmafModelCollectionScore*, unsigned);
FUNCTION(vmaf_feature_score_at_index, int, VmafContext*, const char*, double*, unsigned);
FUNCTION(vmaf_score_pooled, int, VmafContext*, VmafModel*, enum VmafPoolingMethod, double*,
         unsigned, unsigned);
FUNCTION(vmaf_score_pooled_model_collection, int, VmafContext*, VmafModelCollection*,
         enum VmafPoolingMethod, VmafModelCollectionScore*, unsigned, unsigned);
FUNCTION(vmaf_feature_score_pooled, int, VmafContext*, const char*, enum VmafPoolingMethod, double*,
         unsigned, unsigned);
FUNCTION(vmaf_preallocate_pictures, int, VmafContext*, VmafPictureConfiguration);
FUNCTION(vmaf_fetch_preallocated_picture, int, VmafContext*, VmafPicture*);
FUNCTION(vmaf_close, int, VmafContext*);
FUNCTION(vmaf_write_output, int, VmafContext*, const char*, enum VmafOutputFormat);
FUNCTION(vmaf_version, const char*, void);
FUNCTION(vmaf_picture_alloc, int, VmafPicture*, enum VmafPixelFormat, unsigned, unsigned, unsigned);
FUNCTION(vmaf_picture_unref, int, VmafPicture*);
FUNCTION(vmaf_feature_dictionary_set, int, VmafFeatureDictionary**, const char*, const char*);
FUNCTION(vmaf_feature_dictionary_free, int, VmafFeatureDictionary**);
FUNCTION(vmaf_model_load, int, VmafModel**, VmafModelConfig*, const char*);
FUNCTION(vmaf_model_load_from_path, int, VmafModel**, VmafModelConfig*, const char*);
FUNCTION(vmaf_model_feature_overload, int, VmafModel*, const char*, VmafFeatureDictionary*);
FUNCTION(vmaf_model_destroy, void, VmafModel*);
FUNCTION(vmaf_model_collection_load, int, VmafModel**, VmafModelCollection**, VmafModelConfig*,
         const char*);
FUNCTION(vmaf_model_collection_load_from_path, int, VmafModel**, VmafModelCollection**,
         VmafModelConfig*, const char*);
FUNCTION(vmaf_model_collection_feature_overload, int, VmafModel*, VmafModelCollection**,
         const char*, VmafFeatureDictionary*);
FUNCTION(vmaf_model_collection_destroy, void, VmafModelCollection*);

int main(void) {
  SIZE(VmafConfiguration);
  OFFSET(VmafConfiguration, log_level);
  OFFSET(VmafConfiguration, n_threads);
  OFFSET(VmafConfiguration, n_subsample);
  OFFSET(VmafConfiguration, cpumask);
  OFFSET(VmafConfiguration, gpumask);
  SIZE(VmafPicture);
  OFFSET(VmafPicture, pix_fmt);
  OFFSET(VmafPicture, bpc);
  OFFSET(VmafPicture, w);
  OFFSET(VmafPicture, h);
  OFFSET(VmafPicture, stride);
  OFFSET(VmafPicture, data);
  OFFSET(VmafPicture, ref);
  OFFSET(VmafPicture, priv);
  SIZE(VmafPictureConfiguration);
  OFFSET(VmafPictureConfiguration, pic_params.w);
  OFFSET(VmafPictureConfiguration, pic_params.h);
  OFFSET(VmafPictureConfiguration, pic_params.bpc);
  OFFSET(VmafPictureConfiguration, pic_params.pix_fmt);
  OFFSET(VmafPictureConfiguration, pic_cnt);
  SIZE(VmafModelConfig);
  OFFSET(VmafModelConfig, name);
  OFFSET(VmafModelConfig, flags);
  SIZE(VmafModelCollectionScore);
  OFFSET(VmafModelCollectionScore, type);
  OFFSET(VmafModelCollectionScore, bootstrap.bagging_score);
  OFFSET(VmafModelCollectionScore, bootstrap.stddev);
  OFFSET(VmafModelCollectionScore, bootstrap.ci.p95.lo);
  OFFSET(VmafModelCollectionScore, bootstrap.ci.p95.hi);
  NUMBER(VMAF_API_VERSION_MAJOR);
  NUMBER(VMAF_API_VERSION_MINOR);
  NUMBER(VMAF_API_VERSION_PATCH);
  NUMBER(VMAF_LOG_LEVEL_NONE);
  NUMBER(VMAF_LOG_LEVEL_ERROR);
  NUMBER(VMAF_LOG_LEVEL_WARNING);
  NUMBER(VMAF_LOG_LEVEL_INFO);
  NUMBER(VMAF_LOG_LEVEL_DEBUG);
  NUMBER(VMAF_OUTPUT_FORMAT_NONE);
  NUMBER(VMAF_OUTPUT_FORMAT_XML);
  NUMBER(VMAF_OUTPUT_FORMAT_JSON);
  NUMBER(VMAF_OUTPUT_FORMAT_CSV);
  NUMBER(VMAF_OUTPUT_FORMAT_SUB);
  NUMBER(VMAF_POOL_METHOD_UNKNOWN);
  NUMBER(VMAF_POOL_METHOD_MIN);
  NUMBER(VMAF_POOL_METHOD_MAX);
  NUMBER(VMAF_POOL_METHOD_MEAN);
  NUMBER(VMAF_POOL_METHOD_HARMONIC_MEAN);
  NUMBER(VMAF_POOL_METHOD_NB);
  NUMBER(VMAF_PIX_FMT_UNKNOWN);
  NUMBER(VMAF_PIX_FMT_YUV420P);
  NUMBER(VMAF_PIX_FMT_YUV422P);
  NUMBER(VMAF_PIX_FMT_YUV444P);
  NUMBER(VMAF_PIX_FMT_YUV400P);
  NUMBER(VMAF_MODEL_FLAGS_DEFAULT);
  NUMBER(VMAF_MODEL_FLAG_DISABLE_CLIP);
  NUMBER(VMAF_MODEL_FLAG_ENABLE_TRANSFORM);
  NUMBER(VMAF_MODEL_FLAG_DISABLE_TRANSFORM);
  NUMBER(VMAF_MODEL_COLLECTION_SCORE_UNKNOWN);
  NUMBER(VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP);
  return 0;
}
